import type { Understanding } from "@coterie/workbench/protocol";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { App } from "../app/app.js";
import { fixture } from "../testing/fixture.js";
import "../ui/styles.css";

const CLUSTERS = [0, 1, 2, 3, 4];
const DAY = Date.UTC(1998, 3, 13) / 86_400_000;

/** A column in which clusters follow one another. */
function columnOf(name: string, low: number, step: number): Understanding["columns"][number] {
  const clusters = CLUSTERS.map((cluster) => ({
    quantiles: [0, 1, 2, 3, 4].map((i) => low + step * (cluster + i / 4)),
    mean: low + step * cluster,
    density: [0, 1, 0],
    level: null,
    share: null,
  }));
  return { name, feature: true, min: low, max: low + 6 * step, tellsApart: 1, clusters };
}

function back() {
  const report = {
    labels: Array.from({ length: 30 }, (_, row) => row % 5),
    violations: { mustLink: [], cannotLink: [], relative: [] },
  };
  const run = {
    number: 1,
    spec: { algorithm: "ward", options: { k: 5 }, seed: 0 },
    title: "Ward linkage",
    state: "done",
    created: "2026-01-01T00:00:00Z",
    version: "0",
    upTo: 0,
    used: 0,
    given: 0,
    progress: null,
    problem: null,
    milliseconds: 5,
    k: 5,
    sizes: [6, 6, 6, 6, 6],
    letters: CLUSTERS,
    names: CLUSTERS.map(() => null),
    broken: 0,
    objective: 1,
    scores: null,
  };
  const facts = { role: "feature", missing: 0, mean: 0, deviation: 1, counts: [1] };
  const money = { kind: "money", before: "$", after: "", decimal: ".", group: "," };
  return fixture({
    rows: 30,
    replies: {
      runs: () => [run],
      run: () => ({ run, report, current: true }),
      columns: () => [
        { ...facts, name: "last_order", kind: "date" },
        { ...facts, name: "amount", kind: "number", notation: money },
      ],
      understanding: () => ({
        run: 1,
        clusters: CLUSTERS.map((cluster) => ({ cluster, size: 6, typical: [cluster], doubtful: [] })),
        columns: [columnOf("last_order", DAY, 90), columnOf("amount", 1_002_000.46, 1000.5)],
        rules: {
          correct: 30,
          of: 30,
          tree: {
            leaves: 2,
            root: {
              test: { column: "last_order", above: DAY },
              size: 30,
              yes: { cluster: 1, size: 20 },
              no: { cluster: 0, size: 10 },
            },
          },
          clusters: CLUSTERS.map((cluster) => ({ cluster, words: "last_order", correct: 6, of: 6 })),
        },
        broken: [],
        weights: [],
      }),
      advice: () => null,
    },
  });
}

test("dates and amounts of five clusters are whole in a window of any width", async () => {
  for (const width of [1440, 768, 500]) {
    await page.viewport(width, 900);
    const place = document.body.appendChild(document.createElement("div"));
    location.hash = "#/projects/penguins/understand?run=1";
    localStorage.clear();
    const root = createRoot(place);
    root.render(<App client={back()} />);
    await expect.element(page.getByText("1998-05-28").first()).toBeInTheDocument();
    const cells = [...place.querySelectorAll<HTMLElement>(".profile-row td.num.cut")];
    expect(cells.length).toBe(10);
    expect(cells.filter(({ textContent }) => /^\$1,00\d,\d{3}/.test(textContent!))).toHaveLength(5);
    expect(
      cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
    ).toEqual([]);
    root.unmount();
    place.remove();
  }
});
