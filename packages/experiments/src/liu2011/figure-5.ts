/** Figure 5: the time of ReCon with growing sets of statements, in units of our own unconstrained linkage. */
import { linkage, randomFrom, randomTriplets, recon } from "@coterie/core";
import { curvesFigure } from "@coterie/figures";
import { createSimdKernels } from "@coterie/kernels";
import type { Figure, Finding, ResultTable, Setting } from "../experiment.js";
import { load, marksTo } from "./sets.js";

const SETS = ["letters-IJLT", "digits-389", "letters-3000", "digits-3000"];

interface Times {
  readonly name: string;
  readonly counts: readonly number[];
  /** By count: the median ratio to plain centroid linkage, milliseconds, tests made. */
  readonly ratio: readonly number[];
  readonly milliseconds: readonly number[];
  readonly tests: readonly number[];
}

export const figure5: Figure = {
  name: "figure-5",
  title: "Running time",
  async run(setting: Setting) {
    const times: Times[] = [];
    for (const name of SETS) times.push(await timesOf(name, setting));
    const worst = Math.max(...times.flatMap(({ milliseconds }) => milliseconds));
    return {
      protocol: `ReCon with centroid linkage and Euclidean distances, distances included, on one core; each run beside plain centroid linkage of the same rows in turn, medians of ${setting.quick ? 3 : 7}. Times depend on the machine and on what else it does; the ratios hardly do. Made on Node ${process.versions.node}.`,
      findings: [
        {
          claim: "In most experiments ReCon completes within a few minutes (§5.3)",
          published: "15 to 40 s on letters-IJLT, up to 400 s on letters-3000, 20 s on the digits (2.6 GHz, 2011)",
          ours: `at most ${(worst / 1000).toFixed(1)} s on any of the four`,
          verdict: worst < 180_000 ? "holds" : "does not hold",
        },
        {
          claim:
            "The time depends largely on the data: letters grow with the statements, many classes most, digits hardly (§5.3)",
          published: "from none to 3,000 statements: letters-IJLT × 2.7, digits-389 × 1.3, letters-3000 × 20, digits-3000 × 1.3",
          ours: times.map(({ name, ratio }) => `${name} × ${(ratio.at(-1)! / ratio[0]!).toFixed(1)}`).join(", "),
          ...growthVerdict(times),
        },
      ],
      pictures: [
        {
          name: "times",
          caption: "Time of ReCon over that of plain centroid linkage, by the number of random statements",
          svg: curvesFigure({
            title: "Running time",
            panels: times.map(({ name, counts, ratio }) => ({
              title: name,
              series: [{ name: "ReCon over centroid linkage", points: counts.map((x, at) => ({ x, y: ratio[at]! })) }],
            })),
            xLabel: "random statements",
            yLabel: "time, plain linkage = 1",
            columns: 2,
          }),
        },
      ],
      tables: times.map(tableOf),
    };
  },
};

/** Many classes cost most, and the digits grow less than the letters. */
function growthVerdict(times: readonly Times[]): Pick<Finding, "verdict" | "because"> {
  const [ijlt, digits389, letters, digits3000] = times.map(({ ratio }) => ratio.at(-1)! / ratio[0]!) as [
    number,
    number,
    number,
    number,
  ];
  const most = letters >= Math.max(ijlt, digits389, digits3000);
  if (most && Math.max(digits389, digits3000) < ijlt) return { verdict: "holds" };
  return {
    verdict: most ? "holds in part" : "does not hold",
    because:
      "without a statement ours is the plain linkage kernel, so the first statement costs most on every set; tests themselves have become cheap",
  };
}

async function timesOf(name: string, { quick, seed, log }: Setting): Promise<Times> {
  const points = await load(name);
  const k = points.truth.names.length;
  const kernels = createSimdKernels();
  const counts = marksTo(3000, quick ? 2 : 6);
  const seen = counts.map((): { ratio: number; milliseconds: number; tests: number }[] => []);
  for (let run = 0; run < (quick ? 3 : 7) + 1; run++) {
    counts.forEach((count, at) => {
      const set = randomTriplets(points.truth, { count, random: randomFrom(seed).split(name, run) });
      const plain = timed(() => linkage(points, { linkage: "centroid", k, kernels }));
      const own = timed(() => recon(points, set, { k, kernels }));
      const tests = Number(/^(\d+) merges? w/.exec(own.result.notices.at(-1) ?? "")?.[1] ?? 0);
      // The first round is for the compiler.
      if (run > 0) seen[at]!.push({ ratio: own.milliseconds / plain.milliseconds, milliseconds: own.milliseconds, tests });
    });
  }
  log(`${name}: done`);
  const median = (key: "ratio" | "milliseconds" | "tests") => (list: readonly Record<typeof key, number>[]) =>
    list.map((entry) => entry[key]).sort((p, q) => p - q)[list.length >> 1]!;
  return {
    name,
    counts,
    ratio: seen.map(median("ratio")),
    milliseconds: seen.map(median("milliseconds")),
    tests: seen.map(median("tests")),
  };
}

function timed<R>(work: () => R): { readonly result: R; readonly milliseconds: number } {
  const start = performance.now();
  const result = work();
  return { result, milliseconds: performance.now() - start };
}

function tableOf({ name, counts, ratio, milliseconds, tests }: Times): ResultTable {
  return {
    title: name,
    columns: ["statements", "over plain centroid linkage", "milliseconds", "merges tested"],
    rows: counts.map((count, at) => [count, ratio[at]!, Math.round(milliseconds[at]!), tests[at]!]),
  };
}
