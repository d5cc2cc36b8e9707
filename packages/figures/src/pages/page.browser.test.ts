/** Pages as a browser shows them: nothing is cut off without a sign, words do not collide, and the tree can be walked. */
import { constraints, diagnose, type Instances } from "@coterie/core/internal";
import { afterEach, expect, test, vi } from "vitest";
import type { MergeRow } from "../layout/dendrogram.js";
import { conflictGraphFigure } from "../marks/conflict-graph.js";
import { blobs, constraintSet, reportOf } from "../testing/samples.js";
import { html } from "../theme/html.js";
import { diagnosisHtml } from "./diagnosis-html.js";
import { htmlReport, zoomTree } from "./report-html.js";

import { ZOOM_SCRIPT } from "./zoom-script.js";

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

/** The page in a window of its own. Its policy stays in force. */
async function windowOf(page: string, width: number): Promise<Document> {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  frame.srcdoc = page;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  await new Promise((resolve) => setTimeout(resolve, 100));
  return frame.contentDocument!;
}

/** Balanced merges of 2^p rows, higher from level to level. */
function balanced(p: number): MergeRow[] {
  const merges: MergeRow[] = [];
  let level = Array.from({ length: 2 ** p }, (_, i) => i);
  for (let height = 1; level.length > 1; height++) {
    const next: number[] = [];
    for (let i = 0; i < level.length; i += 2) {
      merges.push([level[i]!, level[i + 1]!, level.length === 2 ? null : height * height, 2 ** height]);
      next.push(2 ** p + merges.length - 1);
    }
    level = next;
  }
  return merges;
}

const evil = `</style></title><script>document.title = "gone"</script><img src=x onerror="document.title = 'gone'">`;

function largePage(): string {
  const { points } = blobs(256, 12, 3);
  const labels = Int32Array.from({ length: 256 }, (_, i) => Math.floor(i / 16));
  const instances: Instances = {
    ...points,
    names: points.names!.map((name) => `a_column_with_a_long_name_${name}`),
    ids: Array.from({ length: 256 }, (_, i) => `${evil}${"x".repeat(i % 90)}${i}`),
    truth: { codes: labels, names: labels.length > 0 ? Array.from({ length: 16 }, () => evil) : [] },
  };
  const broken = [0, 20, 40].map((row) => [row, row + 16] as const);
  return htmlReport({
    report: reportOf(instances, labels, {
      algorithm: "ccl",
      merges: balanced(8).map(([l, r, h, s]) => [l, r, h, s] as const),
      history: [9, 5, 4, 3],
      violations: { mustLink: broken, cannotLink: [], relative: [], labels: [[3, evil]], exclusive: [] },
      notices: [evil],
    }),
    instances,
    constraints: constraintSet(256, { mustLink: [[0, 16]], cannotLink: [[1, 99]] }),
    title: evil,
    command: `coterie ${"word ".repeat(60)}`,
  });
}

function diagnosisPage(): string {
  const ids = Array.from({ length: 12 }, (_, i) => `${evil}${i}`);
  const known = constraints(
    { n: 12, ids },
    {
      cannotLink: [0, 1, 2, 3, 4].map((i) => [i, (i + 1) % 5] as const),
      mustLink: [
        [0, 5],
        [5, 6],
      ],
      ids: "rows",
    },
  );
  const diagnosis = diagnose(known, { k: 2, ids });
  return diagnosisHtml({
    diagnosis: { ...diagnosis, notices: [evil] },
    constraints: known,
    ids,
    k: 2,
    verdict: evil,
    proof: evil,
    given: evil,
    title: evil,
    version: "0",
  });
}

test.each([
  ["a report", largePage],
  ["a diagnosis", diagnosisPage],
])("%s at 500 pixels: what is too wide scrolls, and says so; hostile names run nothing", async (_, make) => {
  const page = await windowOf(make(), 500);
  expect(page.title).not.toBe("gone");
  expect(page.querySelectorAll("img, script:not([type]) ~ script").length).toBe(0);
  expect(page.documentElement.scrollWidth).toBeLessThanOrEqual(500);
  for (const element of page.querySelectorAll("main *:not(svg *)")) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > 500) expect(element.closest(".scroll"), element.outerHTML.slice(0, 200)).not.toBeNull();
  }
  const figures = [...page.querySelectorAll<HTMLElement>("figure.scroll")].filter(
    (figure) => figure.scrollWidth > figure.clientWidth,
  );
  expect(figures.length).toBeGreaterThan(0);
  const view = page.defaultView!;
  for (const figure of figures) expect(view.getComputedStyle(figure, "::before").content).toContain("scroll sideways");
  for (const box of page.querySelectorAll(".scroll")) expect(view.getComputedStyle(box).backgroundImage).toContain("gradient");
});

test("at 1280 pixels nothing says that it must be scrolled where it need not", async () => {
  const page = await windowOf(largePage(), 1280);
  const view = page.defaultView!;
  for (const figure of page.querySelectorAll<HTMLElement>("figure.scroll")) {
    const says = view.getComputedStyle(figure, "::before").content.includes("scroll");
    expect(says).toBe(figure.scrollWidth > figure.clientWidth);
  }
});

test("the key of the conflict graph: no words over others, in whatever face the browser has", () => {
  const known = constraints(
    { n: 8 },
    {
      cannotLink: [0, 1, 2, 3, 4].map((i) => [i, (i + 1) % 5] as const),
      mustLink: [
        [0, 5],
        [5, 6],
      ],
    },
  );
  const drawn = conflictGraphFigure({ diagnosis: diagnose(known, { k: 2 }), constraints: known })!;
  document.body.innerHTML = drawn;
  const boxes = [...document.querySelectorAll<SVGTextElement>("svg > g text")].map((text) => text.getBoundingClientRect());
  expect(boxes.length).toBeGreaterThan(6);
  boxes.forEach((a, i) => {
    for (const b of boxes.slice(0, i)) {
      expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(false);
    }
  });
});

interface Drawn {
  readonly words: string[];
  /** Lines by their colours: dashes, and the highest and lowest place. */
  readonly strokes: { readonly dashed: boolean; readonly width: number; readonly top: number; readonly bottom: number }[];
}

/** Runs the script on a tree and notes what it draws, from each drawing on. */
async function walked(width: number, names?: readonly string[]): Promise<{ drawn: () => Drawn; box: HTMLElement }> {
  const labels = Int32Array.from({ length: 256 }, (_, i) => [0, 8][Math.floor(i / 128)]!);
  const merges = balanced(8);
  const tree = { merges, labels, k: 2, marks: new Uint8Array(256).fill(1, 0, 4), ...(names ? { names } : {}) };
  document.body.innerHTML = `<div style="width:${width}px">${zoomTree(html``, tree).markup}</div>`;
  document.querySelector("canvas")!.style.cssText = "display:block;width:100%;height:510px";
  let now: Drawn = { words: [], strokes: [] };
  const lows = new WeakMap<Path2D, { top: number; bottom: number }>();
  const note = (path: Path2D, y: number) => {
    const { top, bottom } = lows.get(path) ?? { top: Infinity, bottom: -Infinity };
    lows.set(path, { top: Math.min(top, y), bottom: Math.max(bottom, y) });
  };
  for (const step of ["moveTo", "lineTo"] as const) {
    const original = Path2D.prototype[step];
    vi.spyOn(Path2D.prototype, step).mockImplementation(function (this: Path2D, x: number, y: number) {
      note(this, y);
      original.call(this, x, y);
    });
  }
  const pen = CanvasRenderingContext2D.prototype;
  vi.spyOn(pen, "clearRect").mockImplementation(() => {
    now = { words: [], strokes: [] };
  });
  vi.spyOn(pen, "fillText").mockImplementation((text: string) => {
    now.words.push(text);
  });
  vi.spyOn(pen, "stroke").mockImplementation(function (this: CanvasRenderingContext2D, path?: unknown) {
    const place = lows.get(path as Path2D);
    if (place) now.strokes.push({ dashed: this.getLineDash().length > 0, width: this.lineWidth, ...place });
  } as typeof pen.stroke);
  new Function(ZOOM_SCRIPT)();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { drawn: () => now, box: document.querySelector<HTMLElement>(".zoom-tree")! };
}

/** The dotted line of the break: dashed and 1 wide. */
const breakOf = ({ strokes }: Drawn) => strokes.find(({ dashed, width }) => dashed && width === 1)!.top;

test.each([960, 452])(
  "the tree on the canvas has its title, the cut and the names of its clusters at %i pixels",
  async (width) => {
    const { drawn } = await walked(width);
    const { words, strokes } = drawn();
    expect(words).toContain("↑ height of the merge, square-root scale");
    expect(words).toContain("2 clusters, no allowed merge is left");
    expect(words).toContain("cluster 0, 128 rows");
    expect(words).toContain("cluster 8, 128 rows");
    expect(words).toContain("forbidden");
    expect(strokes.filter((stroke) => stroke.width === 1.5)).toHaveLength(1);
  },
);

test("wherever one looks, what is allowed stays below the break and what is forbidden above it", async () => {
  const { drawn, box } = await walked(960);
  for (const job of ["all", "in", "in", "on", "on", "in", "back", "in", "in", "on", "out", "all"]) {
    box.querySelector<HTMLElement>(`[data-do=${job}]`)!.click();
    const seen = drawn();
    const edge = breakOf(seen);
    for (const { dashed, width, top } of seen.strokes) if (!dashed && width === 1) expect(top).toBeGreaterThan(edge);
    const forbidden = seen.strokes.filter(({ dashed, width }) => dashed && width > 1.5);
    for (const { top } of forbidden) expect(top).toBeLessThan(edge);
    if (job === "all") expect(forbidden).toHaveLength(1);
  }
  box.querySelector<HTMLElement>("[data-do=in]")!.click();
  box.querySelector<HTMLElement>("[data-do=in]")!.click();
  expect(box.querySelector(".zoom-where")!.textContent).toContain("branches with an arrow merge higher up");
});

test("names of clusters that were given are used, and cut with a sign where they do not fit", async () => {
  const { drawn } = await walked(452, ["0 heron", "", "", "", "", "", "", "", `8 ${"stork ".repeat(30)}`]);
  expect(drawn().words).toContain("cluster 0 heron, 128 rows");
  expect(drawn().words.filter((word) => word.includes("stork"))).toEqual([expect.stringMatching(/^8 stork.*…$/)]);
});
