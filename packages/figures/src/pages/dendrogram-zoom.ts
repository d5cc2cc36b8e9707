/**
 * A dendrogram to walk through: the picture of the last merges, and, where scripts run, the whole tree on a canvas in its place,
 * to be zoomed and moved by mouse, touch or keyboard. The data lie in the page as JSON; the script is a constant, so that the page's
 * policy can name it by its hash and allow no other.
 */

import type { MergeRow } from "../layout/dendrogram-layout.js";
import { type Html, html, trusted } from "../theme/html.js";

export interface ZoomTree {
  readonly merges: readonly MergeRow[];
  readonly labels: ArrayLike<number>;
  readonly leafNames?: readonly (string | number)[];
  readonly marks: Uint8Array;
}

/** Above this many rows the page would hold several megabytes for the tree alone. */
export const MOST_ZOOMED = 30_000;

/** The static picture, with what the script needs to put a canvas in its place. */
export function zoomTree(picture: Html, { merges, labels, leafNames, marks }: ZoomTree): Html {
  const n = merges.length + 1;
  const data = {
    left: merges.map(([left]) => left),
    right: merges.map(([, right]) => right),
    height: merges.map(([, , height]) => (height === null || !Number.isFinite(height) ? null : Number(height.toPrecision(6)))),
    labels: Array.from({ length: n }, (_, row) => labels[row] ?? -1),
    marks: [...marks],
    ...(leafNames ? { names: leafNames.map((name) => String(name).slice(0, 40)) } : {}),
  };
  // A script element ends at the first "</script", wherever it stands.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return html`<div class="zoom-tree"><div class="zoom-static">${picture}</div><div class="zoom-live" hidden>
<p class="zoom-bar"><button type="button" data-do="in">Zoom in</button><button type="button" data-do="out">Zoom out</button><button type="button" data-do="back" aria-label="Move left">←</button><button type="button" data-do="on" aria-label="Move right">→</button><button type="button" data-do="all">Whole tree</button> <span class="zoom-where" aria-live="polite"></span></p>
<canvas tabindex="0" role="img" aria-label="The whole dendrogram. Plus and minus zoom, arrow keys move, Home shows all."></canvas>
<p class="note">Drag to move, double-click to zoom in; + and − zoom, arrow keys move, Home shows all. The wheel zooms once the picture has the focus.</p></div><script type="application/json">${trusted(json)}</script></div>`;
}

/** What runs in the page. */
export const ZOOM_SCRIPT = `
for (const box of document.querySelectorAll(".zoom-tree")) {
  const { left, right, height, labels, marks, names } = JSON.parse(box.querySelector("script").textContent);
  const n = labels.length, live = box.querySelector(".zoom-live"), canvas = box.querySelector("canvas");
  const where = box.querySelector(".zoom-where"), pen = canvas.getContext("2d");
  const order = [], place = new Float64Array(2 * n - 1), from = new Float64Array(2 * n - 1), to = new Float64Array(2 * n - 1);
  const cluster = new Int32Array(2 * n - 1);
  for (const stack = [2 * n - 2]; stack.length;) {
    const node = stack.pop();
    if (node >= n) stack.push(right[node - n], left[node - n]);
    else { place[node] = order.length + 0.5; from[node] = order.length; to[node] = order.length + 1; cluster[node] = labels[node]; order.push(node); }
  }
  for (let m = 0; m < n - 1; m++) {
    const l = left[m], r = right[m];
    place[n + m] = (place[l] + place[r]) / 2; from[n + m] = from[l]; to[n + m] = to[r];
    cluster[n + m] = cluster[l] === cluster[r] ? cluster[l] : -2;
  }
  const kinds = [[1, "must"], [2, "cannot"], [4, "relative"]].filter(([bit]) => marks.some((mark) => mark & bit));
  const LEFT = 64, RIGHT = 12, TOP = 30, PLOT = 340, HIGH = 490;
  let a = 0, b = n, wide = 0;
  const probe = box.appendChild(document.createElement("span"));
  const colour = (token) => { probe.style.color = "var(--" + token + ")"; return getComputedStyle(probe).color; };
  const x = (at) => LEFT + ((at - a) / (b - a)) * (wide - LEFT - RIGHT);
  const count = (value) => value.toLocaleString("en");
  function show(low, high) {
    const span = Math.min(n, Math.max(Math.min(n, 6), high - low));
    a = Math.max(0, Math.min(n - span, low)); b = a + span;
    draw();
  }
  function zoom(by, at) { const middle = at ?? (a + b) / 2; show(middle - (middle - a) * by, middle + (b - middle) * by); }
  const act = { in: () => zoom(0.5), out: () => zoom(2), back: () => show(a - 0.25 * (b - a), b - 0.25 * (b - a)), on: () => show(a + 0.25 * (b - a), b + 0.25 * (b - a)), all: () => show(0, n) };
  function draw() {
    const scale = devicePixelRatio || 1;
    wide = canvas.clientWidth;
    canvas.width = wide * scale; canvas.height = HIGH * scale;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, wide, HIGH);
    pen.font = "11px sans-serif";
    const base = TOP + PLOT, ink = colour("ink-2"), dim = colour("ink-3"), line = colour("line");
    let top = 0;
    for (let m = 0; m < n - 1; m++) if (height[m] !== null && from[n + m] >= a - 1e-9 && to[n + m] <= b + 1e-9) top = Math.max(top, height[m]);
    if (top === 0) for (const value of height) if (value !== null) top = Math.max(top, value);
    const up = (node) => { if (node < n) return base; const h = height[node - n]; return h === null ? TOP - 12 : base - PLOT * Math.sqrt(Math.max(0, h) / (top || 1)); };
    pen.textAlign = "end";
    for (const share of [0, 1 / 9, 4 / 9, 1]) {
      const y = base - PLOT * Math.sqrt(share);
      pen.strokeStyle = line; pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(LEFT, y); pen.lineTo(wide - RIGHT, y); pen.stroke();
      pen.fillStyle = dim; pen.fillText(String(Number((share * top).toPrecision(3))), LEFT - 6, y + 4);
    }
    const paths = new Map();
    for (let m = 0; m < n - 1; m++) {
      const l = left[m], r = right[m];
      if (place[r] < a || place[l] > b) continue;
      const xl = x(place[l]), xr = x(place[r]), y = up(n + m), yl = up(l), yr = up(r);
      if (xr - xl < 0.4 && yl - y < 0.4 && yr - y < 0.4) continue;
      const key = height[m] === null ? "bad" : cluster[n + m] === -2 ? "ink-2" : cluster[n + m] < 0 ? "edge" : "c" + ((cluster[n + m] % 8) + 1);
      if (!paths.has(key)) paths.set(key, new Path2D());
      const path = paths.get(key);
      path.moveTo(xl, yl); path.lineTo(xl, y); path.lineTo(xr, y); path.lineTo(xr, yr);
    }
    pen.save(); pen.beginPath(); pen.rect(LEFT, 0, wide - LEFT - RIGHT, HIGH); pen.clip();
    for (const [key, path] of paths) { pen.strokeStyle = colour(key); pen.lineWidth = key === "bad" ? 1.6 : 1; pen.setLineDash(key === "bad" ? [5, 3.5] : []); pen.stroke(path); }
    pen.setLineDash([]);
    const slot = (wide - LEFT - RIGHT) / (b - a), first = Math.max(0, Math.floor(a)), last = Math.min(n, Math.ceil(b));
    for (let at = first; at < last;) {
      let end = at + 1;
      while (end < last && labels[order[end]] === labels[order[at]]) end++;
      const own = labels[order[at]];
      pen.fillStyle = colour(own < 0 ? "edge" : "c" + ((own % 8) + 1));
      pen.fillRect(x(at), base + 5, Math.max(0.5, x(end) - x(at)), 4);
      at = end;
    }
    pen.fillStyle = ink;
    kinds.forEach(([bit], row) => { for (let at = first; at < last; at++) if (marks[order[at]] & bit) pen.fillRect(x(at + 0.5) - Math.min(3, Math.max(0.5, slot / 3)), base + 14 + 9 * row, Math.min(6, Math.max(1, slot / 1.5)), 6); });
    const under = base + 18 + 9 * kinds.length;
    if (slot >= 10) for (let at = first; at < last; at++) {
      pen.save(); pen.translate(x(at + 0.5) + 3.5, under); pen.rotate(-Math.PI / 2);
      pen.fillText(String(names ? names[order[at]] : order[at]).slice(0, 14), 0, 0); pen.restore();
    }
    pen.restore();
    pen.textAlign = "end"; pen.fillStyle = ink;
    kinds.forEach(([, name], row) => pen.fillText(name, LEFT - 6, base + 20 + 9 * row));
    pen.textAlign = "start"; pen.fillStyle = dim;
    if (slot < 10) pen.fillText("Zoom in to read the names of the rows.", LEFT, under + 14);
    if (height.includes(null)) { pen.fillStyle = colour("bad"); pen.textAlign = "end"; pen.fillText("forbidden", LEFT - 6, TOP - 9); }
    where.textContent = b - a >= n ? "All " + count(n) + " rows" : "Rows " + count(first + 1) + " to " + count(last) + " of " + count(n) + ", in the order of the tree";
  }
  box.querySelector(".zoom-static").hidden = true; live.hidden = false; box.classList.add("zoom-on");
  live.querySelector(".zoom-bar").addEventListener("click", (event) => act[event.target.dataset.do]?.());
  const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "back", ArrowRight: "on", Home: "all" };
  canvas.addEventListener("keydown", (event) => { const job = keys[event.key]; if (!job || event.ctrlKey || event.metaKey) return; event.preventDefault(); act[job](); });
  const at = (event) => a + ((event.clientX - canvas.getBoundingClientRect().left - LEFT) / (wide - LEFT - RIGHT)) * (b - a);
  canvas.addEventListener("wheel", (event) => { if (document.activeElement !== canvas && !event.ctrlKey) return; event.preventDefault(); zoom(Math.exp(event.deltaY / 400), at(event)); }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoom(0.5, at(event)));
  let grip = null;
  canvas.addEventListener("pointerdown", (event) => { grip = { x: event.clientX, a, b }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => { if (!grip) return; const by = ((grip.x - event.clientX) / (wide - LEFT - RIGHT)) * (grip.b - grip.a); show(grip.a + by, grip.b + by); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grip = null; });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme:dark)").addEventListener("change", draw);
}
`;

/** SHA-256 of the script, as the page's policy names it; a test holds the two together. */
export const ZOOM_HASH = "sha256-HjRBTCxPI/XMZ9d4omiZBzmCLqGAi5VikoT1EQA3fE8=";
