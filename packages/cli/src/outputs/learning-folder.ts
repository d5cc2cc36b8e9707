/** The folder of `coterie compare`: a line for each finished run, the inputs of the runs, and the results as CSV, SVG and HTML. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { badInput, type ConstraintSet } from "@coterie/core/internal";
import { checkFolder, csvCell, openLineFile, readIfThere, takeLock, writeWhole } from "@coterie/data";
import { type Compared, type LearningPlan, RUNS } from "@coterie/workbench/learning";
import {
  curveCells,
  found,
  headerOf,
  type Line,
  lineOf,
  meanOf,
  nameOf,
  parseTrials,
  pointsOf,
  rounded,
  sortedLines,
  type Trial,
  withError,
} from "@coterie/workbench/trials";

const REMEDY = "The finished runs are saved; the same command goes on from there.";

export type Source = Readonly<Record<string, unknown>>;

export interface LearningFolder {
  missing(trials: readonly Trial[]): Promise<Trial[]>;
  append(line: string): Promise<void>;
  lines(trials: readonly Trial[]): Promise<Line[]>;
  write(files: Readonly<Record<string, string>>): Promise<string[]>;
  close(): void;
}

export async function openLearningFolder(folder: string, source: Source): Promise<LearningFolder> {
  await checkFolder(folder);
  const thing = { noun: "The folder", use: "is comparing methods into this folder", option: "--out" };
  const close = takeLock(join(folder, ".compare.lock"), folder, thing);
  try {
    const file = openLineFile(join(folder, `${RUNS.name}.csv`), headerOf(RUNS), REMEDY);
    const side = `${file.path}.json`;
    const before = await readIfThere(side);
    if (before === null || (await file.read()) === null) await writeWhole(side, `${JSON.stringify(source, null, 2)}\n`, REMEDY);
    else refuseOther(before, source, side);
    const read = async () => parseTrials(RUNS, (await file.read()) ?? headerOf(RUNS), file.path);
    // The program can be killed while it writes the header of the file. Such a file has no runs, and its header is written again.
    if (headerOf(RUNS).startsWith((await file.read()) ?? "")) await file.replace(headerOf(RUNS));
    return {
      async missing(trials) {
        const kept = await read();
        return trials.filter(({ key }) => !kept.has(nameOf(RUNS, key)));
      },
      append: file.append,
      async lines(trials) {
        const kept = await read();
        await file.replace(sortedLines(RUNS, kept, trials, "keep"));
        return trials.map((trial) => {
          const line = kept.get(nameOf(RUNS, trial.key))!;
          return { ...lineOf(RUNS, trial, line), failure: line.remark };
        });
      },
      async write(files) {
        for (const [name, content] of Object.entries(files)) await writeWhole(join(folder, name), content, REMEDY);
        return Object.keys(files).map((name) => join(folder, name));
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function refuseOther(before: string, source: Source, file: string): void {
  const remedy = "Choose another folder with --out.";
  let known: Source;
  try {
    known = JSON.parse(before) as Source;
  } catch {
    throw badInput("This file does not say what the runs in its folder were made from.", { file, remedy });
  }
  const differing = Object.keys(source).filter((name) => JSON.stringify(known[name]) !== JSON.stringify(source[name]));
  if (differing.length === 0) return;
  throw badInput(`The runs in this folder were made from something else: ${differing.join(", ")} differ.`, { file, remedy });
}

export function digestOf(constraints: ConstraintSet): string {
  const text = JSON.stringify(constraints, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value));
  return createHash("sha256").update(text).digest("hex");
}

export function scoreRows({ curves }: Pick<Compared, "curves">): { method: string; cells: string[]; mean: string }[] {
  return curves.map(({ method, curve, mean }) => ({
    method,
    // The standard error of a score needs several runs. After a single run, only the score is shown.
    cells: curve.values[0]!.length === 1 ? curve.values.map(([score]) => score?.toFixed(3) ?? "–") : curveCells(curve),
    mean: mean === null ? "–" : mean.toFixed(3),
  }));
}

export function curvesCsv({ curves }: Compared): string {
  const lines = curves.flatMap(({ method, curve: { counts, values } }) =>
    counts.map((count, at) => {
      const own = found(values[at]!);
      const { mean, error } = meanOf(own);
      const failed = values[at]!.length - own.length;
      return [method, count, values[at]!.length, failed, rounded(mean) ?? "", rounded(error) ?? ""].join(",");
    }),
  );
  return `${["method,count,runs,failed,mean,error", ...lines].join("\n")}\n`;
}

export function testsCsv({ comparisons }: Compared): string {
  const lines = comparisons.map(({ better, other, difference, error, p, isCertain }) =>
    [better, other, rounded(difference) ?? "", rounded(error) ?? "", rounded(p) ?? "", isCertain]
      .map(String)
      .map(csvCell)
      .join(","),
  );
  return `${["higher,lower,difference,error,corrected p,real", ...lines].join("\n")}\n`;
}

export async function learningPages(
  { curves, comparisons, headline, sentences }: Compared,
  { by, counts, k, runs }: LearningPlan,
  about: {
    readonly title: string;
    readonly rows: number;
    readonly command: string;
    readonly notices: readonly string[];
    readonly files: readonly string[];
    readonly version: string;
  },
): Promise<{ svg: string; html: string }> {
  const { htmlLearning, learningFigure } = await import("@coterie/figures");
  const figure = {
    title: about.title,
    series: curves.map(({ method, curve }) => ({ name: method, points: pointsOf(curve) })),
    scoreName: SCORES[by].name,
  };
  const facts = [
    ["rows", about.rows.toLocaleString("en")],
    ["clusters", String(k)],
    ["methods", String(curves.length)],
    ["runs of each", String(runs)],
  ] as const;
  const tests = comparisons.map(({ difference, error, p, ...test }) => ({
    ...test,
    difference: withError({ mean: difference, error, count: runs }),
    p: p < 0.0001 ? "< 0.0001" : p.toFixed(4),
  }));
  const html = htmlLearning({
    ...figure,
    ...about,
    headline,
    sentences,
    facts,
    counts,
    scoring: SCORES[by].sentence,
    scores: scoreRows({ curves }),
    tests,
  });
  return { svg: learningFigure(figure), html };
}

export const SCORES: Readonly<Record<LearningPlan["by"], { readonly name: string; readonly sentence: string }>> = {
  classes: {
    name: "adjusted Rand index",
    sentence:
      "Each run draws pairs of rows from the known classes and gives them as must-links and cannot-links. The score is the adjusted Rand index over the rows that are in no drawn pair: 1 if the clusters are the classes, 0 on average for random clusters.",
  },
  constraints: {
    name: "held-out constraints kept",
    sentence:
      "Each run holds out a third of the constraints and gives a random part of the others. The score is the share of held-out constraints that the clusters keep, with equal weight for must-links and cannot-links: 1 if all are kept, 0.5 for one large cluster.",
  },
};
