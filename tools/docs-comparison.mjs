/**
 * The measured comparison on the pages of methods: `node tools/docs-comparison.mjs` runs every method on packaged sets without and with
 * constraints drawn from the known classes, and writes docs/measurements/method-comparison.json. Takes some minutes.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cluster } from "../packages/cli/dist/index.js";
import { catalogue, generateConstraints, needsK, randomFrom, randomTriplets, takesK } from "../packages/core/dist/internal.js";
import { readTable } from "../packages/data/dist/index.js";

const SETS = ["iris-fisher", "wine", "glass", "ionosphere"];
const DRAWS = 5;
const COUNT = 40;
const file = fileURLToPath(new URL("../docs/measurements/method-comparison.json", import.meta.url));

function constraintsFor(method, truth, seed) {
  const { treats } = method;
  const isRelative = treats.relative !== "ignored" && (treats.cannotLink === "ignored" || method.name === "recon");
  const random = randomFrom(seed).split("docs");
  return isRelative ? randomTriplets(truth, { count: COUNT, random }) : generateConstraints(truth, { count: COUNT, random });
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value) => Math.round(value * 1_000) / 1_000;

const rows = [];
for (const set of SETS) {
  const points = await readTable(set, { truth: "class", missing: "impute" });
  const k = points.truth.names.length;
  for (const method of catalogue) {
    if (!takesK(method)) continue;
    const run = (known) => cluster(points, known, { algorithm: method.name, k }).scores.adjustedRand;
    const uses = Object.values(method.treats).some((treatment) => treatment !== "ignored");
    try {
      const without = needsK(method) || method.family === "hierarchy" ? round(run(undefined)) : null;
      const scores = uses ? Array.from({ length: DRAWS }, (_, seed) => run(constraintsFor(method, points.truth, seed))) : null;
      const deviation =
        scores && Math.sqrt(scores.reduce((sum, score) => sum + (score - mean(scores)) ** 2, 0) / (DRAWS - 1) / DRAWS);
      rows.push({
        set,
        method: method.name,
        without,
        with: scores ? round(mean(scores)) : null,
        error: scores ? round(deviation) : null,
      });
    } catch (error) {
      rows.push({ set, method: method.name, without: null, with: null, error: null, problem: String(error.message) });
    }
    console.log(JSON.stringify(rows.at(-1)));
  }
}
writeFileSync(file, `${JSON.stringify({ sets: SETS, draws: DRAWS, count: COUNT, rows }, null, 1)}\n`);
