// Shows what has moved between two pictures of a table: every thing goes from where it was to
// where it is ("first, last, invert, play"). The server says where a thing comes from or goes to
// that is in one of the pictures only; everything else is found by ids and by what pieces look
// like. So the browser gets to know nothing that the two pictures do not show.
(() => {
  "use strict";
  const EASING = "cubic-bezier(.3, .1, .2, 1)";
  const LEAST = 2; // pixels of the drawing: what moves less just is where it is
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const shown = new WeakMap(); // the last picture of each board
  const running = new WeakMap(); // the animations on each board, with what ends them
  const layers = new WeakMap(); // what is drawn above each board while something moves

  const boxOf = (element) => {
    const box = element.getBBox();
    return { x: box.x, y: box.y, width: box.width, height: box.height };
  };

  // A picture as it lies there: where its things and pieces are.
  const noted = (svg) => {
    const things = new Map();
    for (const thing of svg.querySelectorAll("g[id]")) {
      things.set(thing.id, { element: thing, box: boxOf(thing) });
    }
    const pieces = [...svg.querySelectorAll("[data-piece]")].map((element) => ({
      element, box: boxOf(element), looks: element.dataset.piece, at: element.parentNode.id,
    }));
    return { svg, things, pieces, wide: svg.viewBox.baseVal.width };
  };

  // Moves a copy above all else, and shows the thing itself when it has arrived.
  const fly = (board, element, from, to, milliseconds, stays) => {
    const copy = element.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll("*")]) {
      for (const name of ["id", "role", "tabindex", "data-target", "aria-label"]) {
        one.removeAttribute(name);
      }
    }
    copy.classList.remove("kz-lit", "kz-chosen");
    layer(board).append(copy);
    const own = stays ? to : from;
    const place = (box) => {
      const scale = Math.min(box.width / (own.width || 1), box.height / (own.height || 1));
      const x = box.x + box.width / 2 - scale * (own.x + own.width / 2);
      const y = box.y + box.height / 2 - scale * (own.y + own.height / 2);
      return `translate(${x}px, ${y}px) scale(${scale})`;
    };
    copy.style.transformOrigin = "0 0";
    copy.style.transformBox = "view-box";
    const moving = copy.animate(
      [{ transform: place(from) }, { transform: place(to), opacity: stays ? 1 : 0.4 }],
      { duration: milliseconds, easing: EASING, fill: "both" },
    );
    begun(board, moving, () => copy.remove());
    if (stays) begun(board, element.animate([{ opacity: 0 }, { opacity: 0 }], milliseconds));
  };

  // What copies are drawn on: it lies on the picture and lets clicks through.
  const layer = (board) => {
    let found = layers.get(board);
    if (!found) {
      const svg = board.querySelector("svg.kz");
      const at = svg.getBoundingClientRect();
      found = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      found.setAttribute("class", "kz kz-motion");
      found.setAttribute("viewBox", svg.getAttribute("viewBox"));
      found.setAttribute("aria-hidden", "true");
      Object.assign(found.style, {
        left: `${at.left + scrollX}px`, top: `${at.top + scrollY}px`,
        width: `${at.width}px`, height: `${at.height}px`,
      });
      document.body.append(found);
      layers.set(board, found);
    }
    return found;
  };

  const appear = (board, element, milliseconds) => {
    begun(board, element.animate([{ opacity: 0 }, { opacity: 1 }], milliseconds));
  };

  const begun = (board, animation, end = () => {}) => {
    const all = running.get(board) ?? new Set();
    running.set(board, all);
    const one = { animation, end };
    all.add(one);
    animation.finished.then(() => over(board, one), () => over(board, one));
  };
  const over = (board, one) => {
    const all = running.get(board);
    if (!all.delete(one)) return;
    one.end();
    if (all.size === 0) {
      layers.get(board)?.remove();
      layers.delete(board);
    }
  };
  const finish = (board) => {
    for (const one of [...(running.get(board) ?? [])]) {
      over(board, one);
      one.animation.cancel();
    }
  };

  const differ = (a, b) =>
    Math.abs(a.x + a.width / 2 - b.x - b.width / 2) > LEAST ||
    Math.abs(a.y + a.height / 2 - b.y - b.height / 2) > LEAST;

  const moveThings = (board, before, after, hints, milliseconds) => {
    const card = (element) => element.classList.contains("kz-card");
    for (const [id, now] of after.things) {
      const then = before.things.get(id) ?? before.things.get(hints.came[id]);
      if (!then) {
        if (card(now.element)) appear(board, now.element, milliseconds);
      } else if (!frame(now) && differ(then.box, now.box)) {
        fly(board, now.element, then.box, now.box, milliseconds, true);
      }
    }
    for (const [id, other] of Object.entries(hints.went)) {
      const then = before.things.get(id);
      const now = after.things.get(other);
      if (then && now) fly(board, then.element, then.box, now.box, milliseconds, false);
    }
  };

  // Cells, places and players' parts stay where they are, even if the picture grows.
  const FRAMES = /^(cell|place|column|seat|pile|turn|fact)-/;
  const frame = (thing) => FRAMES.test(thing.element.id);

  // A piece that is new on its cell comes from the nearest cell that has lost one like it.
  const movePieces = (board, before, after, milliseconds) => {
    const key = (piece) => `${piece.at} ${piece.looks}`;
    const were = new Set(before.pieces.map(key));
    const are = new Set(after.pieces.map(key));
    const gone = before.pieces.filter((piece) => !are.has(key(piece)));
    for (const piece of after.pieces.filter((one) => !were.has(key(one)))) {
      let best = null;
      let least = Infinity;
      for (const other of gone) {
        const far = Math.hypot(other.box.x - piece.box.x, other.box.y - piece.box.y);
        if (other.looks === piece.looks && far < least) [best, least] = [other, far];
      }
      if (best === null) appear(board, piece.element, milliseconds);
      else {
        gone.splice(gone.indexOf(best), 1);
        fly(board, piece.element, best.box, piece.box, milliseconds, true);
      }
    }
  };

  const changed = (board) => {
    finish(board);
    const svg = board.querySelector("svg.kz");
    if (!svg) {
      shown.delete(board); // a curtain has fallen: nothing of that picture is kept
      return;
    }
    const before = shown.get(board);
    const after = noted(svg);
    shown.set(board, after);
    const scene = svg.closest("[data-motion]");
    if (!before || !scene || still.matches || before.wide !== after.wide) return;
    const milliseconds = Number(scene.dataset.milliseconds);
    if (!(milliseconds > 0)) return;
    moveThings(board, before, after, JSON.parse(scene.dataset.motion), milliseconds);
    movePieces(board, before, after, milliseconds);
  };

  new MutationObserver((records) => {
    const boards = new Set();
    for (const record of records) {
      const board = record.target.nodeType === 1 && record.target.closest(".board");
      if (board && !record.target.closest("svg")) boards.add(board);
    }
    boards.forEach(changed);
  }).observe(document, { childList: true, subtree: true });

  // A click or a key ends what moves: nobody has to wait for it.
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, () => document.querySelectorAll(".board").forEach(finish), true);
  }
})();
