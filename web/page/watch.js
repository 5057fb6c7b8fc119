"use strict";
// The page of recorded games: the list of a file, and one game step by step. Saved as a file, it holds its game itself.

(function () {
  const base = location.pathname.replace(/\/$/, "");
  const get = (id) => document.getElementById(id);
  const packed = get("recorded");
  let source, about = null, number = null, at = 0, viewer = "all", timer = null, wanted = null, first = 0;
  let turns = 0; // how often a list or a game was asked for: an answer that comes late must not push aside what came after

  // A source of positions: the server, or the file itself.
  const server = {
    about: () => Coven.ask(`${base}/game/${number}?viewer=${viewer}`),
    position: (k) => Coven.ask(`${base}/game/${number}/position/${k}?viewer=${viewer}`),
  };

  async function unpack() {
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const data = await new Response(stream).json();
    const views = {};
    for (const [view, pictures] of Object.entries(data.pictures)) {
      let before = [];
      views[view] = pictures.map(([head, tail, middle]) => {
        before = [...before.slice(0, head), ...middle, ...before.slice(before.length - tail)];
        return before;
      });
    }
    return {
      about: async () => ({ ...data.about, log: data.logs[viewer] }),
      position: async (k) => ({ svg: views[viewer][k].map((i) => data.elements[i]).join("\n"), actions: [], done: null }),
    };
  }

  const board = new Coven.Board(get("board"), null);
  const analysis = Coven.Analysis && !packed && new Coven.Analysis(get("analysis"), board, base, {
    live: false, changed: () => {}, position: () => ({ number, at, viewer, positions: about.positions }), jump: (k) => go(k),
  });

  async function open(n, k = 0) {
    turns += 1;
    number = n;
    get("list").hidden = true;
    get("game").hidden = false;
    about = await source.about();
    at = Math.min(Math.max(k, 0), about.positions - 1);
    get("title").textContent = about.title;
    document.title = packed ? `${about.title}: a recorded game` : `${about.title}: game ${number}`;
    get("slider").max = about.positions - 1;
    const views = [["all", "all open"], ...about.agents.map((agent, p) => [`${p}`, `player ${p} (${agent})`])];
    get("viewer").replaceChildren(...views.map(([value, words]) =>
      Coven.element("option", { value, selected: value === viewer }, words)));
    Coven.listSeats(get("result").lastElementChild, about.agents, about.scores, about.ranks);
    if (!packed) {
      get("to-list").hidden = false;
      for (const kind of ["html", "gif"]) {
        get(`save-${kind}`).hidden = false;
        get(`save-${kind}`).href = `${base}/game/${number}/export.${kind}?viewer=${viewer}`;
      }
    }
    if (analysis) analysis.opened(about);
    listMoves();
    await go(at);
  }

  function listMoves() {
    get("log").replaceChildren(...about.log.map((words, i) => Coven.element("li", { value: i + 1 },
      Coven.element("button", { type: "button", onclick: () => { stop(); go(i + 1); } }, words === null ? "hidden" : words))));
  }

  async function go(k) {
    at = Math.min(Math.max(k, 0), about.positions - 1);
    const mine = wanted = `${number} ${viewer} ${at}`;
    try {
      const position = await source.position(at);
      if (wanted !== mine) return;
      board.show(position.svg, position.actions, position.done);
      Coven.trouble("");
    } catch (error) {
      Coven.trouble(error.said ? error.message : "the server cannot be reached");
      return stop();
    }
    get("slider").value = at;
    get("where").textContent = `${at} / ${about.positions - 1}`;
    get("first").disabled = get("back").disabled = at === 0;
    get("last").disabled = get("forward").disabled = at === about.positions - 1;
    get("status").textContent = at ? `after move ${at}: ${about.log[at - 1] ?? "hidden"}` : "the deal";
    const here = get("log").children[at - 1];
    get("log").querySelector(".here")?.classList.remove("here");
    if (here) {
      here.classList.add("here");
      get("log").scrollTop = here.offsetTop - get("log").offsetTop - get("log").clientHeight / 2;
    }
    if (!packed) history.replaceState(null, "", `?game=${number}&at=${at}&viewer=${viewer}`);
    if (analysis) analysis.moved(true);
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
    get("run").setAttribute("aria-label", "play");
    get("run").textContent = "▶▶";
  }

  function run() {
    if (timer !== null) return stop();
    get("run").setAttribute("aria-label", "pause");
    get("run").textContent = "❚❚";
    const step = async () => {
      if (at >= about.positions - 1) return stop();
      await go(at + 1);
      if (timer !== null) timer = setTimeout(step, Number(get("speed").value));
    };
    timer = setTimeout(step, at >= about.positions - 1 ? 0 : 10);
    if (at >= about.positions - 1) at = -1;
  }

  async function list() {
    const turn = turns += 1;
    const form = new FormData(get("filters")), query = new URLSearchParams({ first });
    for (const name of ["agent", "other"]) if (form.get(name)) query.append("agent", form.get(name));
    if (form.get("winner")) query.set("winner", form.get("winner"));
    const found = await Coven.ask(`${base}/games?${query}`);
    if (turn !== turns) return;
    get("list").hidden = false;
    get("game").hidden = true;
    for (const id of ["to-list", "save-html", "save-gif"]) get(id).hidden = true;
    get("title").textContent = found.file;
    get("status").textContent = `${found.found} of ${found.total} games`;
    document.title = found.file;
    for (const select of get("filters").querySelectorAll("select")) {
      if (select.options.length) continue;
      select.append(Coven.element("option", { value: "" }, "any"),
        ...found.agents.map((agent) => Coven.element("option", { value: agent }, agent)));
    }
    first = found.first;
    get("found").textContent = found.games.length ? `${first + 1} to ${first + found.games.length}` : "none";
    get("earlier").disabled = first === 0;
    get("later").disabled = first + found.games.length >= found.found;
    const most = Math.max(0, ...found.games.map((game) => game.agents.length));
    const seats = [...Array(most).keys()];
    get("games").replaceChildren(
      Coven.element("tr", {}, Coven.element("th", {}, "game"), ...seats.map((p) => Coven.element("th", {}, `player ${p}`)),
        Coven.element("th", { class: "number" }, "moves")),
      ...found.games.map((game) => Coven.element("tr", { class: "pick", onclick: () => open(game.number) },
        Coven.element("td", {}, Coven.element("button", { type: "button" }, `${game.number}`)),
        ...seats.map((p) => Coven.element("td", {}, Coven.seat(p),
          game.ranks[p] === 1 ? Coven.element("b", {}, game.agents[p]) : game.agents[p] ?? "", ` ${game.scores[p] ?? ""}`)),
        Coven.element("td", { class: "number" }, `${game.moves}`))));
  }

  const safely = (work) => (...given) => Promise.resolve(work(...given)).catch((error) => Coven.trouble(error.message));
  get("first").addEventListener("click", () => { stop(); go(0); });
  get("back").addEventListener("click", () => { stop(); go(at - 1); });
  get("forward").addEventListener("click", () => { stop(); go(at + 1); });
  get("last").addEventListener("click", () => { stop(); go(about.positions - 1); });
  get("run").addEventListener("click", run);
  get("slider").addEventListener("input", () => { stop(); go(Number(get("slider").value)); });
  get("viewer").addEventListener("change", safely(async () => { viewer = get("viewer").value; await open(number, at); }));
  get("to-list").addEventListener("click", safely(async () => { stop(); history.replaceState(null, "", base); await list(); }));
  get("filters").addEventListener("change", safely(async () => { first = 0; await list(); }));
  get("earlier").addEventListener("click", safely(async () => { first = Math.max(0, first - 100); await list(); }));
  get("later").addEventListener("click", safely(async () => { first += 100; await list(); }));
  document.addEventListener("keydown", (event) => {
    if (get("game").hidden || event.target.closest("input:not([type=range]), select, textarea")) return;
    const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(about.positions - 1) };
    if (event.key === " " && !event.target.closest("button, a, summary")) { event.preventDefault(); run(); }
    if (keys[event.key]) { event.preventDefault(); stop(); keys[event.key](); }
  });

  safely(async () => {
    source = packed ? await unpack() : server;
    const asked = new URLSearchParams(location.search);
    if (packed) return open(0);
    if (!asked.has("game")) return list();
    viewer = asked.get("viewer") || "all";
    return open(Number(asked.get("game")), Number(asked.get("at") || 0));
  })();
})();
