"use strict";
// Analysis: agents are asked about the position, their answers grow while they think; values over the game; worlds.

Coven.Analysis = class {
  // `page.position()` says what is shown; `page.changed()` is called when shares have changed.
  constructor(place, board, base, page) {
    Object.assign(this, { place, board, base, page, findings: new Map(), shown: null });
    this.about = null;
    this.stops = new Set();
    const make = Coven.element;
    this.asked = make("input", { "aria-label": "agents to ask, with spaces between them", value: "ismcts:1000 ppo", size: 18 });
    this.boxes = make("div", { class: "findings", "aria-live": "off" });
    this.plot = make("div", {});
    this.worlds = make("div", { class: "worlds" });
    this.note = make("p", { class: "note", role: "status" });
    const form = make("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); this.ask(); } },
      this.asked, make("button", { type: "submit" }, "Ask"),
      make("button", { type: "button", onclick: () => this.graph() }, "Values"),
      make("button", { type: "button", onclick: () => this.imagine() }, "Worlds"));
    place.append(make("h2", {}, "Analysis"), form, this.note, this.boxes, this.plot, this.worlds);
  }

  // A recorded game was opened.
  opened(about) {
    this.about = about;
    this.values = null;
    this.plot.replaceChildren();
  }

  // Another position is shown; what was found about the last one goes.
  moved(available) {
    this.place.hidden = !available;
    for (const stop of this.stops) stop.abort();
    this.stops.clear();
    this.findings.clear();
    this.boxes.replaceChildren();
    this.worlds.replaceChildren();
    this.note.textContent = "";
    this.shown = null;
    if (this.page.live) this.plot.replaceChildren();
    else if (this.values) this.draw();
  }

  address(what) {
    if (this.page.live) return `${this.base}/${what}`;
    const { number, at, viewer } = this.page.position();
    return what === "graph" ? `${this.base}/game/${number}/graph` : `${this.base}/game/${number}/position/${at}/${what}?viewer=${viewer}`;
  }

  // Lines of JSON as they come.
  async stream(address, body, take) {
    const stop = new AbortController();
    this.stops.add(stop);
    try {
      const answer = await fetch(address, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal: stop.signal,
      });
      if (!answer.ok) throw new Error((await answer.json()).error);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          const found = JSON.parse(line);
          if (found.error) throw new Error(found.error);
          take(found);
        }
      }
    } catch (error) {
      if (error.name !== "AbortError") this.note.textContent = error.message;
    } finally { this.stops.delete(stop); }
  }

  async ask() {
    this.note.textContent = "";
    const specs = [...new Set(this.asked.value.split(/[\s,]+/).filter(Boolean))].slice(0, 4);
    this.shown = specs[0] ?? null;
    this.findings.clear();
    await Promise.all(specs.map((agent) => this.stream(this.address("analyse"), { agent }, (found) => {
      this.findings.set(agent, found);
      this.list(specs);
    })));
  }

  list(specs) {
    const make = Coven.element, words = new Map(this.board.actions.map((action) => [action.id, action.words]));
    const boxes = specs.filter((spec) => this.findings.has(spec)).map((spec) => {
      const found = this.findings.get(spec), deep = found.rows[0]?.visits !== null;
      const rows = found.rows.slice(0, 8).map((row) => {
        const bar = make("span", { class: "share-bar" });
        bar.style.width = `${Math.max(1, 70 * row.share)}px`;
        return make("tr", {}, make("td", {}, words.get(row.action) ?? `action ${row.action}`),
          make("td", {}, bar, ` ${Coven.percent(row.share)}`),
          ...(deep ? [make("td", { class: "number" }, `${row.visits}`),
            make("td", { class: "number" }, row.value === null ? "" : row.value.toFixed(2))] : []));
      });
      const pick = make("input", { type: "radio", name: "on-board", value: spec, checked: spec === this.shown,
        onchange: () => { this.shown = spec; this.share(); } });
      return make("div", { class: "finding", "data-agent": spec, "data-done": found.done },
        make("label", {}, pick, ` ${spec} `), make("small", { class: "note" }, found.note),
        make("div", { class: "wide" }, make("table", {}, make("tr", {}, make("th", {}, "action"), make("th", {}, "share"),
          ...(deep ? [make("th", { class: "number" }, "visits"), make("th", { class: "number" }, "value")] : [])), ...rows)),
        found.values ? make("p", { class: "note" }, "values: ", ...found.values.flatMap((value, p) =>
          [Coven.seat(p), `${value.toFixed(2)} `])) : null);
    });
    this.boxes.replaceChildren(...boxes);
    this.share();
  }

  share() {
    const found = this.findings.get(this.shown);
    this.board.setShares(new Map((found ? found.rows : []).map((row) => [row.action, row.share])));
    this.page.changed();
  }

  async graph() {
    const known = this.page.live ? this.page.position().estimate : this.about.estimate;
    const typed = this.asked.value.split(/[\s,]+/).find((spec) => spec.startsWith("ismcts:"));
    const agent = known ? "estimate" : typed ?? "ismcts:200";
    this.note.textContent = known ? "values by the game's estimate" :
      `this game has no value estimate: values by ${agent}, move by move`;
    this.values = [];
    await this.stream(this.address("graph"), { agent }, (found) => {
      if (!found.done) this.values.push(found);
      if (found.done || this.values.length % 10 === 0) this.draw();
    });
  }

  // The values of all seats over the game, from -1 to 1; a click goes there.
  draw() {
    const wide = 320, high = 150, left = 22, values = this.values;
    if (!values.length) return;
    const end = Math.max(1, this.about ? this.about.positions - 1 : values[values.length - 1].at);
    const x = (at) => left + (wide - left - 4) * at / end, y = (value) => 6 + (high - 24) * (1 - value) / 2;
    const parts = [-1, 0, 1].map((value) => `<line class="axis" x1="${left}" x2="${wide}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text x="0" y="${y(value) + 4}">${value}</text>`);
    for (const p of values[0].values.keys()) {
      const points = values.map((found) => `${x(found.at).toFixed(1)},${y(found.values[p]).toFixed(1)}`).join(" ");
      parts.push(`<polyline fill="none" stroke="${Coven.SEATS[p % 5]}" stroke-width="2" points="${points}"/>`);
    }
    const turn = this.turning(values);
    if (turn) parts.push(`<line x1="${x(turn.at)}" x2="${x(turn.at)}" y1="6" y2="${high - 18}" stroke="currentColor" stroke-dasharray="3 3"/>`);
    if (!this.page.live) parts.push(`<line x1="${x(this.page.position().at)}" x2="${x(this.page.position().at)}" y1="0" y2="${high - 14}" stroke="currentColor"/>`);
    parts.push(`<text x="${left}" y="${high - 2}">${turn ? `turned most at move ${turn.at}` : "moves"}</text>`);
    const picture = Coven.svg(`<svg xmlns="http://www.w3.org/2000/svg" class="graph" viewBox="0 0 ${wide} ${high}" role="img" aria-label="values of all seats over the game">${parts.join("")}</svg>`);
    picture.addEventListener("click", (event) => {
      if (!this.page.jump) return;
      const box = picture.getBoundingClientRect();
      this.page.jump(Math.round(end * ((event.clientX - box.left) / box.width * wide - left) / (wide - left - 4)));
    });
    this.plot.replaceChildren(picture);
  }

  // Where the values moved most from one position to the next, the end itself left out.
  turning(values) {
    let most = 0.05, found = null;
    for (let i = 1; i < values.length - 1; i++) {
      const moved = Math.max(...values[i].values.map((value, p) => Math.abs(value - values[i - 1].values[p])));
      if (moved > most) { most = moved; found = values[i]; }
    }
    return found;
  }

  async imagine() {
    this.note.textContent = "";
    try {
      const { worlds } = await Coven.ask(this.address("worlds"));
      this.note.textContent = worlds.length ? "some worlds that are consistent with all that this seat knows" : "the game is over: all is open";
      this.worlds.replaceChildren(...worlds.map((text) => {
        const picture = Coven.svg(text);
        picture.querySelectorAll(".spot").forEach((spot) => spot.remove());
        picture.removeAttribute("width");
        picture.removeAttribute("height");
        picture.setAttribute("role", "img");
        picture.setAttribute("aria-label", "a possible world");
        return picture;
      }));
    } catch (error) { this.note.textContent = error.message; }
  }
};
