/** What a run found, for people: a few lines on standard error. */
import type { Report } from "@coterie/core";
import { countViolations } from "@coterie/workbench";
import { wrap } from "./help.js";

export function summaryOf(report: Report, title: string, given: number, columns: number): string {
  const lines = [
    `${title} put ${count(report.instances, "row")}${report.features.length === 0 ? "" : ` with ${count(report.features.length, "column")}`} into ${count(report.k, "cluster")}.`,
    "",
    ...sizesTable(report, columns),
    "",
    keptLine(report, given),
    ...brokenLines(report),
    ...(report.scores
      ? [
          `Against the known classes: adjusted Rand ${number(report.scores.adjustedRand)}, Rand ${number(report.scores.rand)}, pairwise F ${number(report.scores.pairwiseF)}, NMI ${number(report.scores.normalizedMutualInformation)}.`,
        ]
      : []),
    ...(report.objective === undefined || report.objective === null
      ? []
      : [
          `Objective ${Number(report.objective.toPrecision(7))} after ${count(report.iterations ?? 0, "iteration")} (${report.stopped}).`,
        ]),
    ...report.notices.map((notice) => `Note: ${notice}`),
  ];
  return `${lines
    .filter((line) => line !== undefined)
    .flatMap((line) => (line === "" ? [""] : wrapKeeping(line, columns)))
    .join("\n")}\n`;
}

function wrapKeeping(line: string, columns: number): string[] {
  return line.startsWith("  ") ? [line] : wrap(line, Math.max(40, columns), "");
}

/** Up to twelve clusters with their share as a bar. */
function sizesTable({ sizes, instances }: Report, columns: number): string[] {
  const shown = sizes.slice(0, 12);
  const widest = Math.max(...sizes, 1);
  const bar = Math.max(10, Math.min(40, columns - 30));
  const rows = shown.map((size, c) => {
    const share = `${((100 * size) / instances).toFixed(1)}%`;
    return `  cluster ${String(c).padEnd(3)} ${String(size).padStart(String(widest).length)}  ${share.padStart(6)}  ${"▇".repeat(Math.round((bar * size) / widest))}`;
  });
  return sizes.length > shown.length ? [...rows, `  … and ${sizes.length - shown.length} more`] : rows;
}

function keptLine(report: Report, given: number): string {
  if (given === 0) return "No constraints were given.";
  const broken = countViolations(report.violations);
  if (broken === 0)
    return given === 1 ? "The one constraint is kept." : `All ${given.toLocaleString("en")} constraints are kept.`;
  return `${broken.toLocaleString("en")} of ${given.toLocaleString("en")} constraints ${broken === 1 ? "is" : "are"} broken:`;
}

function brokenLines({ violations }: Report): string[] {
  const lines = [
    ...violations.mustLink.map(([a, b]) => `  must-link ${a}, ${b}`),
    ...violations.cannotLink.map(([a, b]) => `  cannot-link ${a}, ${b}`),
    ...violations.relative.map(([a, b, c]) => `  relative ${a}, ${b} | ${c}`),
    ...violations.labels.map(([id, name]) => `  label ${id}: ${name}`),
    ...violations.exclusive.map(
      ({ column, value, cluster, ids }) => `  cluster ${cluster} holds ${ids.length} rows with ${column} = ${value}`,
    ),
  ];
  return lines.length <= 8 ? lines : [...lines.slice(0, 8), `  … and ${lines.length - 8} more (in the report)`];
}

function count(value: number, noun: string): string {
  return `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;
}

function number(value: number): string {
  return value.toFixed(3);
}
