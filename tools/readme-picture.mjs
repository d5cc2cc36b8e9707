/**
 * Draws docs/images/penguins.svg, the picture of the README: the penguins of its first example, clustered without and with what is
 * known about six of them, each as the method saw them. Needs the build. Another place to write to may be named.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cluster, constraints } from "coterie";
import { readTable } from "coterie/data";
import { comparisonOf } from "../packages/core/dist/layout/index.js";
import { scatterFigure } from "../packages/figures/dist/index.js";

const PAIRS = [
  [58, 109],
  [192, 169],
  [314, 313],
];
const PANEL = { width: 470, height: 440 };
const HEAD = 34;
const GAP = 20;

const columns = { ignore: ["island", "sex"], missing: "drop", scale: "zscore" };
const penguins = await readTable("penguins", { truth: "class", ...columns });
const known = constraints(penguins, { mustLink: PAIRS, ids: "ids" });

/** One panel: its heading, and the map below it. */
function panel(algorithm, words, at) {
  const result = cluster(penguins, known, { algorithm, k: 3 });
  const comparison = comparisonOf({ algorithm, options: {}, sizes: result.sizes, metric: result.metric }, penguins);
  const { labels, violations, scores } = result;
  const drawn = scatterFigure({
    points: penguins,
    labels,
    constraints: known,
    violations,
    seen: comparison,
    ...PANEL,
    theme: "auto",
  });
  const x = at * (PANEL.width + GAP);
  const heading = `${words}: adjusted Rand ${scores.adjustedRand.toFixed(2)}`;
  return [
    `<text x="${x + 12}" y="22" font-size="15" font-weight="600" fill="var(--ink)">${heading}</text>`,
    drawn.replace("<svg ", `<svg x="${x}" y="${HEAD}" `),
  ].join("");
}

const [width, height] = [2 * PANEL.width + GAP, PANEL.height + HEAD];
const plain = panel("kmeans", "k-means", 0);
const taught = panel("rca-kmeans", "with three must-links", 1);
const style = /<style>.*?<\/style>/s.exec(plain)[0];
const family = /font-family="[^"]*"/.exec(plain)[0];
const picture = [
  `<svg xmlns="http://www.w3.org/2000/svg" class="coterie-figure" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${family}>`,
  "<title>342 penguins in three clusters, without and with three must-links</title>",
  style,
  `<rect width="${width}" height="${height}" fill="var(--canvas)"/>`,
  plain,
  taught,
  "</svg>",
].join("");
writeFileSync(process.argv[2] ?? fileURLToPath(new URL("../docs/images/penguins.svg", import.meta.url)), picture);
