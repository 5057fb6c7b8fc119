"use strict";
// The page of a seat: it asks for the position, shows it, and sends what was chosen.

(function () {
  const base = location.pathname.replace(/\/$/, "");
  const get = (id) => document.getElementById(id);
  let shown = null, sending = false, queue = Promise.resolve(), news = null, revealed = null, log = [];

  const board = new Coven.Board(get("board"), choose);
  const analysis = Coven.Analysis && new Coven.Analysis(get("analysis"), board, base, {
    live: true, changed: listActions, position: () => shown,
  });

  function listActions() {
    const find = get("find"), many = shown && shown.actions.length > 12;
    find.closest("label").hidden = !many;
    if (!many) find.value = "";
    get("count").textContent = shown && shown.actions.length ? `(${shown.actions.length})` : "";
    Coven.listActions(get("actions"), shown ? shown.actions : [], find.value, choose, board.shares);
    if (shown && !shown.actions.length) {
      get("actions").textContent = shown.over ? "The game is over." : "Wait for the others.";
    }
  }

  function say() {
    const who = (p) => `player ${p} (${shown.seats[p]})`;
    let words;
    if (shown.over) {
      const best = shown.ranks.map((rank, p) => (rank === 1 ? p : null)).filter((p) => p !== null);
      words = `${shown.truncated ? "Cut off. " : ""}Over: ${best.map(who).join(" and ")} ${best.length > 1 ? "share the win" : "wins"}`;
    } else if (shown.mine) words = `Player ${shown.seat}: your decision (${shown.phase})`;
    else words = `${who(shown.current)} decides (${shown.phase})`;
    get("status").textContent = words;
    document.title = `${shown.mine ? "● " : ""}${shown.title}`;
  }

  function showLog() {
    const list = get("log"), end = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.replaceChildren(...log.map((words, i) => words === null ? null :
      Coven.element("li", { value: i + 1 }, words)).filter(Boolean));
    if (end || shown.mine) list.scrollTop = list.scrollHeight;
  }

  function apply(position) {
    const before = shown;
    if (before && position.epoch === before.epoch && position.moment < before.moment) return;
    const same = before && position.moment === before.moment && position.epoch === before.epoch;
    shown = position;
    log = [...(before && before.epoch === position.epoch ? log.slice(0, position.log_from) : []), ...position.log];
    if (same && before.mine === position.mine) return;
    get("title").textContent = position.title;
    board.choose = position.mine ? choose : null;
    board.show(position.svg, position.actions);
    listActions();
    say();
    showLog();
    get("undo").hidden = !position.can_undo;
    get("again").hidden = !position.over;
    get("watch").hidden = !position.watch;
    if (position.watch) get("watch").href = position.watch;
    get("result").hidden = !position.over;
    if (position.over) {
      Coven.listSeats(get("result").lastElementChild, position.seats, position.scores, position.ranks, position.seat);
    }
    if (analysis) analysis.moved(position.practice && (position.mine || position.over));
    Coven.trouble(position.trouble);
    draw();
  }

  // On one screen the next player takes over behind a curtain.
  function draw() {
    const curtain = get("curtain"), hide = shown.shared && shown.mine && revealed !== shown.seat && !shown.over;
    curtain.hidden = !hide;
    if (hide) {
      curtain.firstElementChild.textContent = `Player ${shown.seat} decides. Hand the screen over.`;
      curtain.lastElementChild.onclick = () => { revealed = shown.seat; draw(); };
      curtain.lastElementChild.focus();
    }
  }

  // Requests go one after the other; a click is never lost to a refresh, and a second one waits for the first.
  function next(work) {
    const mine = queue.then(work);
    queue = mine.catch(() => {});
    return mine;
  }

  const since = () => (shown && log.length ? `epoch=${shown.epoch}&since=${log.length}` : "epoch=-1&since=0");

  function refresh(moment) {
    news = moment;
    return next(async () => {
      if (shown && `${shown.epoch}-${shown.moment}` === news) return;
      try {
        apply(await Coven.ask(`${base}/position?${since()}`));
      } catch (error) {
        if (error.said) Coven.trouble(error.message);
      }
    });
  }

  async function send(what, body) {
    if (sending) return;
    sending = true;
    document.body.setAttribute("aria-busy", "true");
    try {
      await next(async () => {
        apply(await Coven.ask(`${base}/${what}?${what === "act" ? since() : "epoch=-1&since=0"}`, body));
        if (!shown.trouble) Coven.trouble("");
      });
    } catch (error) {
      Coven.trouble(error.said ? error.message : "the server cannot be reached; the game is kept there");
      board.cancel(false);
    } finally {
      sending = false;
      document.body.removeAttribute("aria-busy");
    }
  }

  function choose(action) {
    return send("act", { action: action.id, moment: shown.moment });
  }

  function listen() {
    const source = new EventSource(`${base}/news`);
    source.onmessage = (message) => {
      if (get("trouble").dataset.lost) { delete get("trouble").dataset.lost; Coven.trouble(""); }
      refresh(message.data);
    };
    source.onerror = () => {
      get("trouble").dataset.lost = "1";
      Coven.trouble("the connection is lost; trying again");
      if (source.readyState === EventSource.CLOSED) { source.close(); setTimeout(listen, 1500); }
    };
    addEventListener("pagehide", () => source.close(), { once: true });
  }

  get("undo").addEventListener("click", () => send("undo", {}));
  get("again").addEventListener("click", () => send("again", {}));
  get("find").addEventListener("input", listActions);
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !get("find").closest("label").hidden) { event.preventDefault(); get("find").focus(); }
    if (event.key === "u" && !get("undo").hidden) send("undo", {});
  });
  listen();
})();
