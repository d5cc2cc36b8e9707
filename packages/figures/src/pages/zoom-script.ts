/**
 * The script of a page with a large tree. It draws the dendrogram on a canvas, which the reader can zoom and move with mouse, touch or
 * keys. The script never changes, so the content security policy of the page can allow it by its hash.
 *
 * Heights are scaled by the highest merge that is completely in view. A branch to a higher merge ends at the top edge with an arrow. Only
 * forbidden merges are drawn above the break.
 */

export const ZOOM_SCRIPT = `(() => {
const LEFT = 64, RIGHT = 12, BASE = 372, BAND = 44, HIGH = 510, FAINT = 0.45, MOST_ARROWS = 80;

function planOf({ left, right, height, labels }) {
  const n = labels.length, size = 2 * n - 1, order = [];
  const place = new Float64Array(size), from = new Float64Array(size), to = new Float64Array(size), cluster = new Int32Array(size);
  for (const stack = [size - 1]; stack.length > 0;) {
    const node = stack.pop();
    if (node >= n) { stack.push(right[node - n], left[node - n]); continue; }
    place[node] = order.length + 0.5; from[node] = order.length; to[node] = order.length + 1; cluster[node] = labels[node];
    order.push(node);
  }
  const rank = new Map();
  for (let m = 0; m < n - 1; m++) {
    const l = left[m], r = right[m], node = n + m;
    place[node] = (place[l] + place[r]) / 2; from[node] = Math.min(from[l], from[r]); to[node] = Math.max(to[l], to[r]);
    cluster[node] = cluster[l] === cluster[r] ? cluster[l] : -2;
    if (height[m] === null) rank.set(node, rank.size + 1);
  }
  return { n, order, place, from, to, cluster, rank };
}

function numberText(value) {
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return value.toExponential(1);
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}

/** Round heights whose lines are at least 34 pixels apart. */
function ticksOf(top, level) {
  if (!(top > 0)) return [0];
  const chosen = [], power = Math.floor(Math.log10(top));
  for (const [exponent, leads] of [[power, [9, 8, 7, 6, 5, 4, 3, 2, 1]], [power - 1, [5, 2, 1]]]) {
    for (const lead of leads) {
      const value = Number(lead + "e" + exponent), last = chosen[chosen.length - 1];
      const apart = last === undefined ? 34 : level(last) - level(value);
      if (value <= top && apart >= 34 && level(value) >= 30) chosen.push(value);
    }
  }
  return [...chosen, 0];
}

function start(box) {
  const tree = JSON.parse(box.querySelector("script").textContent);
  const { left, right, height, labels, marks, names, clusters, cut } = tree;
  const { n, order, place, from, to, cluster, rank } = planOf(tree);
  const faint = new Set(tree.faint);
  const live = box.querySelector(".zoom-live"), canvas = box.querySelector("canvas"), where = box.querySelector(".zoom-where");
  const pen = canvas.getContext("2d"), probe = box.appendChild(document.createElement("span"));
  const kinds = [[1, "must"], [2, "cannot"], [4, "relative"]].filter(([bit]) => marks.some((mark) => mark & bit));
  const rows = new Map();
  for (const own of labels) rows.set(own, (rows.get(own) ?? 0) + 1);
  let a = 0, b = n, wide = 0;

  const colour = (token) => { probe.style.color = "var(--" + token + ")"; return getComputedStyle(probe).color; };
  const tokenOf = (own) => (own === -2 ? "ink-2" : own < 0 ? "edge" : "c" + ((own % 8) + 1));
  const nameOf = (own) => (own < 0 ? "–" : clusters?.[own] || String(own));
  const count = (value) => value.toLocaleString("en");
  const x = (at) => LEFT + ((at - a) / (b - a)) * (wide - LEFT - RIGHT);
  const font = (size, weight) => { pen.font = (weight ?? 400) + " " + size + "px " + getComputedStyle(canvas).fontFamily; };
  function text(words, px, py, token, align) {
    pen.fillStyle = colour(token); pen.textAlign = align ?? "start"; pen.fillText(words, px, py);
  }
  function stroke(token, path, width, dash, alpha) {
    pen.save(); pen.strokeStyle = colour(token); pen.lineWidth = width; pen.setLineDash(dash ?? []); pen.globalAlpha = alpha ?? 1;
    pen.stroke(path); pen.restore();
  }
  function level(y) { const path = new Path2D(); path.moveTo(LEFT, y); path.lineTo(wide - RIGHT, y); return path; }
  /** As much of the words as fits, with a sign where they are cut. */
  function fitted(words, room) {
    if (pen.measureText(words).width <= room) return words;
    for (let end = words.length - 1; end > 0; end--) {
      const shorter = words.slice(0, end) + "…";
      if (pen.measureText(shorter).width <= room) return shorter;
    }
    return "";
  }

  /** The title, and the words for the cut beside it or, where that is too wide, below; returns the room that they take. */
  function head() {
    font(11);
    const title = fitted("↑ " + tree.title, wide - 12), titled = pen.measureText(title).width;
    text(title, 12, 14, "ink-2");
    if (!cut) return 24;
    font(12, 600);
    const needed = pen.measureText(cut.words).width + 34, beside = titled + needed + 40 <= wide;
    const at = beside ? wide - RIGHT - needed : 12, y = beside ? 14 : 32, line = new Path2D();
    line.moveTo(at, y - 4); line.lineTo(at + 24, y - 4);
    stroke("focus", line, 2);
    text(fitted(cut.words, wide - at - 34), at + 32, y, "ink");
    return beside ? 24 : 42;
  }

  /** The highest merge that lies in view as a whole. */
  function highestInView() {
    let top = 0, any = 0;
    for (let m = 0; m < n - 1; m++) {
      if (height[m] === null) continue;
      any = Math.max(any, height[m]);
      if (from[n + m] >= a - 1e-9 && to[n + m] <= b + 1e-9) top = Math.max(top, height[m]);
    }
    return top || any;
  }

  function branches(view) {
    const { top, edge, yOf } = view, paths = new Map(), arrows = [];
    const isOver = (node) => node >= n && height[node - n] !== null && height[node - n] > top * (1 + 1e-9);
    const foot = (node) => (isOver(node) ? edge : yOf(node));
    const pathFor = (key) => { if (!paths.has(key)) paths.set(key, new Path2D()); return paths.get(key); };
    for (let m = 0; m < n - 1; m++) {
      const node = n + m, l = left[m], r = right[m];
      if (Math.max(place[l], place[r]) < a || Math.min(place[l], place[r]) > b) continue;
      const forbidden = height[m] === null;
      const key = forbidden ? "bad" : tokenOf(cluster[node]) + (faint.has(cluster[node]) ? " faint" : "");
      if (isOver(node)) {
        for (const child of [l, r]) {
          if (isOver(child) || place[child] < a || place[child] > b) continue;
          pathFor(key).moveTo(x(place[child]), foot(child)); pathFor(key).lineTo(x(place[child]), edge);
          arrows.push(x(place[child]));
        }
        continue;
      }
      const xl = x(place[l]), xr = x(place[r]), y = yOf(node), yl = foot(l), yr = foot(r);
      if (Math.abs(xr - xl) < 0.4 && yl - y < 0.4 && yr - y < 0.4) continue;
      const path = pathFor(key);
      path.moveTo(xl, yl); path.lineTo(xl, y); path.lineTo(xr, y); path.lineTo(xr, yr);
    }
    for (const [key, path] of paths) {
      const [token, tone] = key.split(" ");
      stroke(token, path, key === "bad" ? 1.6 : 1, key === "bad" ? [5, 3.5] : [], tone ? FAINT : 1);
    }
    if (arrows.length > MOST_ARROWS) return arrows.length;
    pen.fillStyle = colour("ink-2");
    for (const at of arrows) {
      const head = new Path2D();
      head.moveTo(at, edge - 1); head.lineTo(at - 3.5, edge + 6); head.lineTo(at + 3.5, edge + 6); head.closePath();
      pen.fill(head);
    }
    return arrows.length;
  }

  /** The bars of the clusters, with their names where these fit. */
  function bars(first, last) {
    for (let at = first; at < last;) {
      let end = at + 1;
      const own = labels[order[at]];
      while (end < last && labels[order[end]] === own) end++;
      const [low, high] = [Math.max(LEFT, x(at)), Math.min(wide - RIGHT, x(end))];
      pen.save(); pen.globalAlpha = faint.has(own) ? FAINT : 1; pen.fillStyle = colour(tokenOf(own));
      pen.fillRect(low + 0.5, BASE + 5, Math.max(0.5, high - low - 1), 4);
      pen.restore();
      font(11, 600);
      const name = nameOf(own), words = "cluster " + name + ", " + count(rows.get(own)) + (rows.get(own) === 1 ? " row" : " rows");
      const shown = [words, name].find((option) => pen.measureText(option).width <= high - low - 4) ?? (high - low > 30 ? fitted(name, high - low - 4) : "");
      if (shown) text(shown, (low + high) / 2, BASE + 22, "ink", "center");
      at = end;
    }
  }

  function leaves(first, last, slot) {
    const under = BASE + 30 + 9 * kinds.length;
    kinds.forEach(([bit, name], row) => {
      pen.fillStyle = colour("ink-2");
      const width = Math.min(6, Math.max(1, slot / 1.5)), y = BASE + 27 + 9 * row;
      for (let at = first; at < last; at++) if (marks[order[at]] & bit) pen.fillRect(x(at + 0.5) - width / 2, y, width, 6);
    });
    font(11);
    if (slot < 10) return under;
    for (let at = first; at < last; at++) {
      pen.save(); pen.translate(x(at + 0.5) + 3.5, under + 4); pen.rotate(-Math.PI / 2);
      text(fitted(String(names ? names[order[at]] : order[at]), HIGH - under - 8), 0, 0, "ink-2", "end");
      pen.restore();
    }
    return under;
  }

  function axis({ top, edge, level: up }) {
    font(11);
    for (const value of ticksOf(top, up)) {
      stroke("line", level(BASE - up(value)), 1);
      text(numberText(value), LEFT - 6, BASE - up(value) + 4, "ink-3", "end");
    }
    if (rank.size === 0) return;
    stroke("bad", level(edge - 6), 1, [1, 4]);
    font(10);
    text("forbidden", LEFT - 6, edge - 16, "bad", "end");
  }

  function cutLine({ top, edge, level: up }) {
    if (!cut) return;
    if (cut.height === null) stroke("focus", level(edge - 6), 1.5);
    else if (cut.height <= top) stroke("focus", level(BASE - up(cut.height)), 1.5);
  }

  function draw() {
    const scale = devicePixelRatio || 1;
    wide = canvas.clientWidth;
    canvas.width = wide * scale; canvas.height = HIGH * scale;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, wide, HIGH);
    const edge = head() + (rank.size > 0 ? BAND : 0), top = highestInView(), tall = BASE - edge;
    const up = (value) => tall * Math.sqrt(Math.max(0, value) / (top || 1));
    const yOf = (node) => (node < n ? BASE : rank.has(node) ? edge - 12 - ((BAND - 14) * rank.get(node)) / rank.size : BASE - up(height[node - n]));
    const view = { top, edge, level: up, yOf };
    axis(view);
    pen.save(); pen.beginPath(); pen.rect(LEFT, 0, wide - LEFT - RIGHT, HIGH); pen.clip();
    const beyond = branches(view);
    cutLine(view);
    const slot = (wide - LEFT - RIGHT) / (b - a), first = Math.max(0, Math.floor(a)), last = Math.min(n, Math.ceil(b));
    bars(first, last);
    const under = leaves(first, last, slot);
    pen.restore();
    font(11);
    kinds.forEach(([, name], row) => text(name, LEFT - 6, BASE + 33 + 9 * row, "ink-2", "end"));
    if (slot < 10) text(fitted("Zoom in to read the names of the rows.", wide - LEFT), LEFT, under + 14, "ink-3");
    announce(first, last, beyond);
  }

  function announce(first, last, beyond) {
    const shown = b - a >= n ? "All " + count(n) + " rows" : "Rows " + count(first + 1) + " to " + count(last) + " of " + count(n) + ", in the order of the tree";
    where.textContent = shown + (beyond > 0 ? "; branches with an arrow merge higher up" : "");
  }

  function show(low, high) {
    const span = Math.min(n, Math.max(Math.min(n, 6), high - low));
    a = Math.max(0, Math.min(n - span, low)); b = a + span;
    draw();
  }
  function zoom(by, at) { const middle = at ?? (a + b) / 2; show(middle - (middle - a) * by, middle + (b - middle) * by); }
  const move = (share) => show(a + share * (b - a), b + share * (b - a));
  const act = { in: () => zoom(0.5), out: () => zoom(2), back: () => move(-0.25), on: () => move(0.25), all: () => show(0, n) };

  function listen() {
    live.querySelector(".zoom-bar").addEventListener("click", (event) => act[event.target.dataset.do]?.());
    const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "back", ArrowRight: "on", Home: "all" };
    canvas.addEventListener("keydown", (event) => {
      const job = keys[event.key];
      if (!job || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act[job]();
    });
    const at = (event) => a + ((event.clientX - canvas.getBoundingClientRect().left - LEFT) / (wide - LEFT - RIGHT)) * (b - a);
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      zoom(Math.exp(event.deltaY / 400), at(event));
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => zoom(0.5, at(event)));
    let grip = null;
    canvas.addEventListener("pointerdown", (event) => { grip = { x: event.clientX, a, b }; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const by = ((grip.x - event.clientX) / (wide - LEFT - RIGHT)) * (grip.b - grip.a);
      show(grip.a + by, grip.b + by);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grip = null; });
    new ResizeObserver(draw).observe(canvas);
    matchMedia("(prefers-color-scheme:dark)").addEventListener("change", draw);
  }

  box.querySelector(".zoom-static").hidden = true;
  live.hidden = false;
  box.classList.add("zoom-on");
  listen();
}

for (const box of document.querySelectorAll(".zoom-tree")) start(box);
})();
`;

/** SHA-256 of the script, for the content security policy of the page. A test checks that the hash belongs to the script. */
export const ZOOM_HASH = "sha256-r4Ch5+FXhhZ7I0D/Z1B9YuTKUO3HtpD/dCBkHmRi/O0=";
