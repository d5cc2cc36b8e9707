/** `node bench/ccl-quality.mjs`: how completing the constraint set changes the accuracy of `ccl`. See USAGE below. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import * as core from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";

const USAGE = `Usage: node bench/ccl-quality.mjs [options]

Draws random pairs from the true classes. Prints the mean constrained Rand index of the paper's ccl (--no-lookahead), of our ccl, and of
another build of it, all on the same pairs; and the mean number of broken cannot-links of each.

  --sets LIST    samples with known classes (iris,crabs,soybean-562,wine,glass,digits)
  --counts LIST  numbers of constraints (25,50,100,200,500)
  --runs N       sets of pairs for each number (50)
  --seed N       seed of the first set (1000)
  --other FILE   index.js of another build of the core, such as an older one
  --help         this page`;

const kernels = createSimdKernels();

/** @typedef {(points: core.Instances, known: core.ConstraintSet, k: number) => core.Result} Method */

/** @param {string | undefined} other @returns {Promise<Record<string, Method>>} */
async function methodsOf(other) {
  const methods = {
    /** @type {Method} */
    paper: (points, known, k) => core.ccl(points, known, { k, lookahead: false, kernels }),
    /** @type {Method} */
    ours: (points, known, k) => core.ccl(points, known, { k, kernels }),
  };
  if (other === undefined) return methods;
  const built = await import(pathToFileURL(resolve(other)).href);
  // Older builds have a longer name for the method.
  const method = built.ccl ?? built.constrainedCompleteLink;
  return { ...methods, other: (points, known, k) => method(points, known, { k }) };
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function main() {
  const { values } = parseArgs({
    options: {
      sets: { type: "string", default: "iris,crabs,soybean-562,wine,glass,digits" },
      counts: { type: "string", default: "25,50,100,200,500" },
      runs: { type: "string", default: "50" },
      seed: { type: "string", default: "1000" },
      other: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const methods = await methodsOf(values.other);
  console.log(`| set | constraints | ${Object.keys(methods).join(" | ")} | broken |`);
  console.log(`|---|---|${"---|".repeat(Object.keys(methods).length)}---|`);
  for (const name of values.sets.split(",")) {
    const table = await readTable(name, { truth: "class" });
    const truth = /** @type {core.Instances["truth"] & {}} */ (table.truth);
    const k = new Set(truth.codes).size;
    for (const count of values.counts.split(",").map(Number)) {
      const found = Object.values(methods).map(() => ({
        scores: /** @type {number[]} */ ([]),
        broken: /** @type {number[]} */ ([]),
      }));
      for (let run = 0; run < Number(values.runs); run++) {
        const known = core.generateConstraints(truth, { count, random: core.randomFrom(Number(values.seed) + run) });
        const closure = core.closeConstraints(known);
        Object.values(methods).forEach((method, m) => {
          const { labels, violations } = method(table, known, k);
          found[m]?.scores.push(core.scoresOf(labels, truth.codes, closure).constrainedRand ?? Number.NaN);
          found[m]?.broken.push(violations.cannotLink.length);
        });
      }
      const scores = found.map(({ scores: all }) => mean(all).toFixed(3));
      console.log(
        `| ${name} | ${count} | ${scores.join(" | ")} | ${found.map(({ broken }) => mean(broken).toFixed(1)).join(", ")} |`,
      );
    }
  }
}

await main();
