/** Golden pictures of the studio's charts and lists, over made-up replies. `npm run gallery` puts them on one page. */
import type { Comparison, Understanding } from "@coterie/workbench/protocol";
import { createRoot, type Root } from "react-dom/client";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { App } from "./app/app.js";
import { Glyph, Mark } from "./page/marks.js";
import { fixture } from "./testing/fixture.js";
import "./ui/styles.css";

const ROWS = 30;
const CLASSES = Array.from({ length: ROWS }, (_, row) => row % 3);

type Merge = [number, number, number | null, number];

/** Rows of a cluster join one after the other, then the clusters join. */
function merges(top: number | null): Merge[] {
  const joins = [0, 1, 2].flatMap((cluster) =>
    Array.from({ length: 9 }, (_, i) => {
      const height = Number((0.1 + 0.09 * i * (1 + 0.2 * cluster)).toFixed(3));
      return { cluster, row: cluster + 3 * (i + 1), height, size: i + 2 };
    }),
  );
  const made: Merge[] = [];
  const join = (...merge: Merge) => ROWS + made.push(merge) - 1;
  const heads: [number, number, number] = [0, 1, 2];
  for (const { cluster, row, height, size } of joins.sort((a, b) => a.height - b.height))
    heads[cluster] = join(heads[cluster]!, row, height, size);
  join(join(heads[0], heads[1], 2.1, 20), heads[2], top, 30);
  return made;
}

const profile = (cluster: number, low: number, step: number) => ({
  quantiles: [0, 1, 2, 3, 4].map((i) => low + step * (cluster + i / 2)),
  mean: low + step * (cluster + 1),
  density: Array.from({ length: 24 }, (_, i) => Math.round(1000 * Math.exp(-((i - 5 - 6 * cluster) ** 2) / 12)) / 5000),
  level: null,
  share: null,
});
const level = (name: string, share: number) => ({ quantiles: null, mean: null, density: null, level: name, share });

const UNDERSTANDING: Omit<Understanding, "run"> = {
  clusters: [0, 1, 2].map((cluster) => ({ cluster, size: 10, typical: [cluster, cluster + 3], doubtful: [cluster + 6] })),
  columns: [
    {
      name: "flipper_length_mm",
      feature: true,
      min: 172,
      max: 231,
      tellsApart: 0.78,
      clusters: [0, 1, 2].map((c) => profile(c, 172, 14.75)),
    },
    {
      name: "body_mass_g",
      feature: true,
      min: 2700,
      max: 6300,
      tellsApart: 0.67,
      clusters: [0, 1, 2].map((c) => profile(c, 2700, 900)),
    },
    {
      name: "bill_depth_mm",
      feature: false,
      min: -0.042,
      max: 0.07,
      tellsApart: 0.05,
      clusters: [0, 1, 2].map((c) => profile(c, -0.042, 0.0125)),
    },
    {
      name: "island",
      feature: false,
      min: null,
      max: null,
      tellsApart: 0.31,
      clusters: [level("Torgersen", 0.335), level("Dream", 1), level("Biscoe", 0.9)],
    },
  ],
  rules: {
    correct: 28,
    of: 30,
    tree: {
      leaves: 4,
      root: {
        test: { column: "flipper_length_mm", above: 206.5 },
        size: 30,
        yes: { cluster: 2, size: 10 },
        no: {
          test: { column: "bill_length_mm", above: 43.35 },
          size: 20,
          yes: {
            test: { column: "island", among: ["Dream", "Biscoe"] },
            size: 11,
            yes: { cluster: 1, size: 10 },
            no: { cluster: 0, size: 1 },
          },
          no: { cluster: 0, size: 9 },
        },
      },
    },
    clusters: [0, 1, 2].map((cluster) => ({
      cluster,
      words: `flipper_length_mm over ${180 + 10 * cluster}`,
      correct: 10 - cluster,
      of: 10,
    })),
  },
  broken: [{ entry: "e2", sentence: "4 ≠ 7", why: "Both lie in B.", cut: { k: 4 } as never }],
  weights: ["flipper_length_mm", "body_mass_g", "bill_length_mm"].map((column, i) => ({
    column,
    cluster: null,
    weight: [1.62, 0.4, 1][i]!,
  })),
};

const COMPARISON: Omit<Comparison, "before" | "after"> = {
  matched: [0, 1, 2],
  flows: [
    [9, 1, 0],
    [0, 8, 2],
    [0, 0, 10],
  ],
  moved: [
    { row: 3, id: 3, from: 0, to: 1, why: "answered" },
    { row: 4, id: 4, from: 1, to: 2, why: "follows" },
    { row: 7, id: 7, from: 1, to: 2, why: "follows" },
  ],
  rows: [
    { group: "Your knowledge", title: "Broken of 4", before: 2, after: 0, spreadBefore: null, spreadAfter: null },
    {
      group: "Against known classes",
      title: "Adjusted Rand",
      before: 0.61,
      after: 0.8123,
      spreadBefore: [0.6, 0.0214],
      spreadAfter: [0.81, 0],
    },
    { group: "Shape", title: "Objective", before: 1234.56, after: 12.345, spreadBefore: null, spreadAfter: null },
  ],
};

const run = (number: number) => ({
  number,
  spec: { algorithm: "mpck-means", options: { k: 3 }, seed: 0 },
  title: "MPCK-means",
  state: "done",
  created: "2026-01-01T00:00:00Z",
  version: "0",
  upTo: 4,
  used: 4,
  given: 4,
  progress: null,
  problem: null,
  milliseconds: 5,
  k: 3,
  sizes: [10, 10, 10],
  letters: [0, 1, 2],
  names: ["Adelie", null, null],
  broken: 1,
  objective: 1,
  scores: null,
});

/** A studio with four answers and two runs; `report` is about both runs. */
function studio(more: { readonly report?: object; readonly diagnosis?: object; readonly leastK?: number } = {}) {
  const report = { labels: CLASSES, violations: { mustLink: [], cannotLink: [[4, 7]], relative: [] }, ...more.report };
  return fixture({
    rows: ROWS,
    replies: {
      runs: () => [run(1), run(2)],
      run: ({ run: number }: { run: number }) => ({ run: run(number), report, current: true }),
      understanding: ({ run: number }: { run: number }) => ({ run: number, ...UNDERSTANDING }),
      compare: ({ before, after }: { before: number; after: number }) => ({ before, after, ...COMPARISON }),
      advice: () => null,
      diagnosis: () => ({
        upTo: 4,
        k: 3,
        milliseconds: 18,
        partial: false,
        advice: [],
        leastK: more.leastK ?? 3,
        recommended: { algorithm: "mpck-means", because: "it learns which columns matter." },
        diagnosis: {
          contradictions: [],
          feasible: true,
          components: [],
          graph: { vertices: 6, edges: 7, maxDegree: 3 },
          feasibleClusterings: { atMostK: { log10: 4.2 } },
          points: [
            { id: 4, degree: 3 },
            { id: 9, degree: 1 },
          ],
          ...more.diagnosis,
        },
      }),
    },
  });
}

const ANSWERS = [
  { type: "must-link", a: 0, b: 3 },
  { type: "cannot-link", a: 4, b: 7 },
  { type: "relative", a: 6, b: 9, c: 2 },
  { type: "label", a: 5, class: "Gentoo" },
] as const;

let root: Root | null = null;

async function open(address: string, back: ReturnType<typeof studio>): Promise<void> {
  const entries = ANSWERS.map((constraint, i) => ({
    id: `e${i + 1}`,
    by: "me",
    from: { kind: "drawn" as const },
    change: { type: "add" as const, constraint },
  }));
  await back.call("append", { project: "penguins", entries });
  location.hash = `#/projects/penguins/${address}`;
  localStorage.clear();
  draw(<App client={back} />);
}

function draw(content: React.ReactNode): void {
  const place = document.createElement("div");
  place.id = "studio";
  document.body.replaceChildren(place);
  root = createRoot(place);
  root.render(content);
}

/* What is drawn on a canvas by lines becomes part of the picture. */

const rounded = (text: string) => text.replace(/-?\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(1))));
const lines = new Map<HTMLCanvasElement, string[]>();
const PlainPath = Path2D;

class RecordedPath extends PlainPath {
  d = "";
  override moveTo(x: number, y: number): void {
    super.moveTo(x, y);
    this.d += `M${x} ${y}`;
  }
  override lineTo(x: number, y: number): void {
    super.lineTo(x, y);
    this.d += `L${x} ${y}`;
  }
}

const { stroke, clearRect } = CanvasRenderingContext2D.prototype;
globalThis.Path2D = RecordedPath;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  lines.delete(this.canvas);
  clearRect.apply(this, box);
};
CanvasRenderingContext2D.prototype.stroke = function (path?: Path2D) {
  if (path instanceof RecordedPath) {
    const { e, f } = this.getTransform();
    const drawn = `<path d="${rounded(path.d)}" fill="none" stroke="${this.strokeStyle}" transform="translate(${e} ${f})"></path>`;
    lines.set(this.canvas, [...(lines.get(this.canvas) ?? []), drawn]);
  }
  stroke.call(this, path!);
};
afterAll(() => {
  globalThis.Path2D = PlainPath;
  Object.assign(CanvasRenderingContext2D.prototype, { stroke, clearRect });
});

/** The markup of an element, a line for each tag; canvases are the lines that were drawn on them. */
function markupOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  const canvases = [...element.querySelectorAll("canvas")];
  for (const [i, canvas] of copy.querySelectorAll("canvas").entries()) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", canvas.getAttribute("class") ?? "");
    svg.innerHTML = (lines.get(canvases[i]!) ?? []).join("");
    canvas.replaceWith(svg);
  }
  for (const part of [copy, ...copy.querySelectorAll("*")])
    for (const { name, value } of [...part.attributes])
      if (name === "id" || value.startsWith("_r_")) part.removeAttribute(name);
      else if (!/^(aria|title)/.test(name)) part.setAttribute(name, rounded(value));
  return `${copy.outerHTML.replaceAll("><", ">\n<")}\n`;
}

/** Compares an element with its file as soon as it stays the same. */
async function picture(name: string, selector: string): Promise<void> {
  let before = "";
  const isStill = () => {
    const element = document.querySelector(selector);
    const now = element ? markupOf(element) : "";
    const same = now !== "" && now === before;
    before = now;
    return same;
  };
  await expect.poll(isStill, { timeout: 20_000, interval: 150, message: name }).toBe(true);
  // Widths of measured texts depend on the fonts of the machine.
  const pictured = before.replace(/(minmax\(|"(?:min-)?width: )\d+px/g, "$1_px");
  await expect(pictured).toMatchFileSnapshot(`../../../docs/images/gallery/studio/${name}.snap`);
}

beforeEach(() => page.viewport(1440, 900));
afterEach(() => root?.unmount());

test("marks of clusters and signs of answers", async () => {
  draw(
    <p className="signs row wrap">
      {Array.from({ length: 25 }, (_, i) => i - 1).map((slot) => (
        <Mark key={slot} slot={slot} />
      ))}
      {(["must-link", "cannot-link", "relative", "label", "unsure", "exclusive", "sizes"] as const).map((type) => (
        <Glyph key={type} type={type} />
      ))}
    </p>,
  );
  await picture("signs", ".signs");
});

test("the map: lines, names and rings; columns; answers; diagnosis", async () => {
  await open("map", studio());
  await expect.element(page.getByRole("button", { name: "A Adelie 10" })).toBeVisible();
  await picture("map-lines", ".plot > .plot-lines");
  await picture("map-legend", ".bar.foot");
  await picture("columns", ".columns");
  await picture("answers", ".knowledge-list");
  await picture("diagnosis", "[aria-label=Diagnosis]");
  page
    .getByRole("option", { name: /4 ≠ 7/ })
    .element()
    .firstElementChild!.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  await expect.poll(() => document.querySelector(".chip")).not.toBeNull();
  await picture("map-broken-answer", ".plot > .plot-lines");
});

test("two rows in hand", async () => {
  await open("map", studio());
  const map = page.getByRole("application");
  await expect.element(map).toBeVisible();
  (map.element() as HTMLElement).focus();
  await userEvent.keyboard(" {ArrowRight} ");
  await picture("pair-bubble", ".bubble");
});

test("a contradiction, and too few clusters", async () => {
  await open("map", studio({ diagnosis: { feasible: false, contradictions: [{ cannotLink: [0, 12], path: [0, 3, 6, 12] }] } }));
  await picture("contradiction", "[aria-label=Contradiction]");
  root?.unmount();
  await open("map", studio({ leastK: 5, diagnosis: { feasible: false, proof: { core: [[0], [1, 4], [2], [5]] } } }));
  await picture("too-few-clusters", "[aria-label='Not feasible']");
});

test("a question", async () => {
  await open("ask", studio());
  await picture("question", ".question-table");
});

test("two runs compared: flows, scores, moved rows, and as tables", async () => {
  await open("compare?before=1&after=2", studio());
  await picture("flows", ".flow-chart");
  await picture("scores", ".scores table");
  await picture("moved", "[aria-label='Moved rows']");
  await userEvent.keyboard("t");
  await picture("flows-table", ".flows table");
});

test("one run: profiles, tree, dendrogram, weights, and as tables", async () => {
  const chosen = { k: 3, by: "silhouette", evidence: [2, 3, 4].map((k) => ({ k, score: 1 / k })) };
  await open("understand?run=2", studio({ report: { merges: merges(3.33), chosen } }));
  await picture("profiles", ".profile-table");
  await picture("tree", ".tree svg");
  await picture("dendrogram", ".dendrogram");
  await picture("weights", ".weights");
  await picture("chosen-number", ".chosen-numbers");
  await picture("broken-answers", "[aria-label='Broken answers']");
  await userEvent.keyboard("t");
  await picture("profiles-table", ".profile-table");
  await picture("joins-table", ".chart-table table");
  await picture("tree-table", "[aria-label='Rules'] table");
});

test("a dendrogram whose last merge a constraint forbids, and typical rows where there is none", async () => {
  await open("understand?run=2", studio({ report: { merges: merges(null) } }));
  await picture("dendrogram-forbidden", ".dendrogram");
  root?.unmount();
  await open("understand?run=1&cluster=A", studio());
  await picture("typical-rows", ".extreme-table");
});
