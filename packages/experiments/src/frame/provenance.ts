/** Describes the program that made the numbers: its version, its commit if it runs from a checkout, and the version of Node. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Made } from "./store.js";

export type Program = Omit<Made, "trials">;

const folder = fileURLToPath(new URL(".", import.meta.url));

export function programOf(): Program {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return { commit: commitOf(), version, node: process.versions.node };
}

/** The commit of the checkout, followed by "+" if tracked files were changed; "none" if the program does not run from a checkout. */
function commitOf(): string {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    // The package can be installed inside the repository of another project. The commit of that repository says nothing about this program.
    if (git("ls-files", "../../package.json") === "") return "none";
    const changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/packages") !== "";
    return `${git("rev-parse", "--short=10", "HEAD")}${changed ? "+" : ""}`;
  } catch {
    return "none";
  }
}

/** Updates the number of lines that each program made. made: the counts so far. All further lines were made by `program`. */
export function countMade(made: readonly Made[], program: Program, lines: number): Made[] {
  const same = (one: Program): boolean =>
    one.commit === program.commit && one.version === program.version && one.node === program.node;
  const others = made.filter((one) => !same(one) && one.trials > 0);
  const earlier = others.reduce((sum, { trials }) => sum + trials, 0);
  const own = Math.max(0, lines - earlier);
  return own === 0 ? others : [...others, { ...program, trials: own }];
}

export function madeInWords(made: readonly Made[]): string {
  if (made.length === 0) return "by which version is not known";
  const words = made.map(({ commit, version, node, trials }) => {
    const count = made.length === 1 ? "" : `${trials.toLocaleString("en")} trials by `;
    return `${count}Coterie ${version}${commit === "none" ? "" : `, commit ${commit}`}, Node ${node}`;
  });
  return words.join("; ");
}
