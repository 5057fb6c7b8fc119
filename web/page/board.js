"use strict";
// The picture of a table, the spots on it that can be clicked, the small menu, and the list of actions.

const Coven = {};

Coven.SEATS = ["#c93a55", "#1c8f97", "#d6921a", "#7457cf", "#7d6150"];

Coven.element = function (tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
};

Coven.svg = function (text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(parsed, true);
};

Coven.percent = (share) => `${share >= 0.0995 || share < 0.0005 ? Math.round(100 * share) : (100 * share).toFixed(1)} %`;

Coven.seat = (p) => Coven.element("span", { class: `seat seat${p % 5}`, "aria-hidden": "true" });

// A line that says what is wrong, until something works again.
Coven.trouble = function (words) {
  const line = document.getElementById("trouble");
  line.hidden = !words;
  line.textContent = words || "";
};

Coven.ask = async function (address, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  const answer = await fetch(address, options);
  const found = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(found.error || `the server answered ${answer.status}`), { said: true });
  return found;
};

Coven.Board = class {
  // `choose` is called with the action that was clicked together.
  constructor(place, choose) {
    this.place = place;
    this.choose = choose;
    this.actions = [];
    this.path = [];
    this.shares = new Map();
    this.zoom = 1;
    document.getElementById("smaller").addEventListener("click", () => this.scale(1 / 1.4));
    document.getElementById("larger").addEventListener("click", () => this.scale(1.4));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && (this.menu || this.path.length)) this.cancel(true);
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.menu && !this.menu.contains(event.target)) this.cancel(false);
    });
  }

  scale(factor) {
    this.zoom = Math.min(5, Math.max(1, this.zoom * factor));
    this.place.style.setProperty("--zoom", this.zoom);
  }

  // A new picture; `done` is an action whose spots are shown as the one that was taken.
  show(svg, actions, done = null) {
    this.closeMenu();
    this.actions = actions;
    this.path = [];
    this.shares = new Map();
    const picture = Coven.svg(svg);
    picture.setAttribute("role", "group");
    picture.setAttribute("aria-label", "the table as a picture; the text of all actions is in the list");
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    const { scrollLeft, scrollTop } = this.place;
    this.place.replaceChildren(picture);
    Object.assign(this.place, { scrollLeft, scrollTop });
    this.spots = new Map([...picture.querySelectorAll(".spot")].map((spot) => [spot.dataset.spot, spot]));
    for (const [name, spot] of this.spots) {
      spot.addEventListener("click", (event) => { event.stopPropagation(); this.click(name); });
      spot.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.click(name); }
      });
    }
    const taken = actions.find((action) => action.id === done);
    for (const name of taken ? taken.clicks : []) this.spots.get(name)?.classList.add("done");
    if (this.choose) this.mark();
  }

  // The actions that the clicks so far can still become.
  candidates(path = this.path) {
    return this.actions.filter((action) => action.clicks.length && path.every((name, i) => action.clicks[i] === name));
  }

  mark() {
    const next = new Map();
    for (const action of this.candidates()) {
      const name = action.clicks[this.path.length];
      if (name !== undefined) next.set(name, [...(next.get(name) || []), action]);
    }
    for (const [name, spot] of this.spots) {
      const possible = next.get(name), chosen = this.path.includes(name);
      spot.classList.toggle("can", Boolean(possible) && !chosen);
      spot.classList.toggle("chosen", chosen);
      spot.replaceChildren();
      for (const attribute of ["tabindex", "role", "aria-label"]) spot.removeAttribute(attribute);
      if (!possible && !chosen) continue;
      const words = chosen ? "take this back" : this.meaning(possible);
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = words;
      spot.append(title);
      spot.setAttribute("tabindex", "0");
      spot.setAttribute("role", "button");
      spot.setAttribute("aria-label", words);
    }
    this.drawShares();
  }

  meaning(possible) {
    if (possible.length === 1) return `${possible[0].words}: ${possible[0].meaning}`;
    const kinds = new Map(possible.map((action) => [action.kind, action.meaning]));
    return `${possible.length} actions: ${[...kinds].map(([kind, meaning]) => `${kind} (${meaning})`).join("; ")}`;
  }

  click(name) {
    if (!this.choose) return;
    if (this.path.includes(name)) return this.cancel(true);
    const path = [...this.path, name], possible = this.candidates(path);
    if (!possible.length) return;
    this.path = path;
    const ended = possible.filter((action) => action.clicks.length === path.length);
    if (ended.length === possible.length && ended.length === 1) return this.take(ended[0]);
    this.mark();
    if (ended.length) this.openMenu(name, ended);
  }

  take(action) {
    this.closeMenu();
    this.choose(action);
  }

  cancel(focus) {
    const name = this.path[0];
    this.closeMenu();
    this.path = [];
    if (this.spots && this.choose) this.mark();
    if (focus && name) this.spots.get(name)?.focus();
  }

  openMenu(name, actions) {
    this.closeMenu();
    const items = actions.map((action) => Coven.element(
      "button", { type: "button", role: "menuitem", title: action.meaning, onclick: () => this.take(action) },
      Coven.element("span", {}, action.words), this.shareText(action.id)));
    this.menu = Coven.element("div", { class: "menu", role: "menu", "aria-label": "which action?" },
      Coven.element("p", {}, "Which?"), ...items);
    this.menu.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = items.indexOf(document.activeElement);
      items[(at + step + items.length) % items.length].focus();
    });
    const holder = this.place.parentElement, frame = holder.getBoundingClientRect();
    const box = this.spots.get(name).getBoundingClientRect();
    holder.append(this.menu);
    const left = Math.min(box.left - frame.left, frame.width - this.menu.offsetWidth - 4);
    const below = box.bottom - frame.top + 4, above = box.top - frame.top - this.menu.offsetHeight - 4;
    const top = below + this.menu.offsetHeight > frame.height && above > 0 ? above : below;
    this.menu.style.left = `${Math.max(4, left)}px`;
    this.menu.style.top = `${Math.max(4, top)}px`;
    items[0].focus();
  }

  closeMenu() {
    this.menu?.remove();
    this.menu = null;
  }

  // Shares of the actions, drawn as bars on their spots.
  setShares(shares) {
    this.shares = shares;
    this.drawShares();
  }

  shareText(id) {
    return this.shares.has(id) ? Coven.element("small", {}, Coven.percent(this.shares.get(id))) : null;
  }

  drawShares() {
    const picture = this.place.querySelector("svg");
    if (!picture) return;
    picture.querySelectorAll(".share").forEach((bar) => bar.remove());
    if (!this.shares.size) return;
    const sums = new Map();
    for (const action of this.candidates()) {
      const name = action.clicks[this.path.length], share = this.shares.get(action.id);
      if (name !== undefined && share > 0) sums.set(name, (sums.get(name) || 0) + share);
    }
    const make = (tag, attributes, text = "") => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.textContent = text;
      return made;
    };
    for (const [name, share] of sums) {
      const spot = this.spots.get(name);
      if (!spot || share < 0.005) continue;
      const box = spot.getBBox(), wide = Math.max(box.width, 44), x = box.x + box.width / 2 - wide / 2;
      const group = make("g", { class: "share" });
      group.append(
        make("rect", { x, y: box.y - 9, width: wide, height: 18, rx: 5, fill: "#17112a", "fill-opacity": .85 }),
        make("rect", { x, y: box.y - 9, width: Math.max(2, wide * Math.min(1, share)), height: 18, rx: 5, fill: "#7e57c9" }),
        make("text", { x: x + wide / 2, y: box.y + 5, "text-anchor": "middle", "font-size": 14, fill: "#fff",
          "font-weight": "bold" }, Coven.percent(share)));
      picture.append(group);
    }
  }
};

// The list of all actions, grouped by kind; words typed into the field leave only those that have them.
Coven.listActions = function (place, actions, find, choose, shares = new Map()) {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean), groups = new Map();
  for (const action of actions) {
    if (!words.every((word) => action.words.toLowerCase().includes(word))) continue;
    if (!groups.has(action.kind)) groups.set(action.kind, []);
    groups.get(action.kind).push(action);
  }
  place.replaceChildren(...[...groups.values()].map((group) => Coven.element("fieldset", {},
    Coven.element("legend", {}, group[0].meaning),
    ...group.map((action) => {
      const share = shares.get(action.id);
      const button = Coven.element("button", { type: "button", "data-action": action.id, onclick: () => choose(action) },
        Coven.element("span", {}, action.words),
        share === undefined ? null : Coven.element("small", {}, Coven.percent(share)));
      if (share) {
        const bar = Coven.element("span", { class: "fill", "aria-hidden": "true" });
        bar.style.width = `${100 * share}%`;
        button.append(bar);
      }
      return button;
    }))));
};

// Who sits where, with points and, at the end, ranks.
Coven.listSeats = function (place, names, scores, ranks, me = null) {
  const order = names.map((_, p) => p);
  if (ranks) order.sort((a, b) => ranks[a] - ranks[b]);
  place.replaceChildren(Coven.element("table", {},
    Coven.element("tr", {}, ...["player", "who", "points", ranks ? "rank" : ""].map((head, i) =>
      Coven.element("th", { class: i > 1 ? "number" : null }, head))),
    ...order.map((p) => Coven.element("tr", { class: ranks && ranks[p] === 1 ? "best" : null },
      Coven.element("td", {}, Coven.seat(p), `${p}`),
      Coven.element("td", {}, names[p] + (p === me ? " (you)" : "")),
      Coven.element("td", { class: "number" }, `${scores[p]}`),
      Coven.element("td", { class: "number" }, ranks ? `${ranks[p]}` : "")))));
};
