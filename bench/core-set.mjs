/**
 * The loss of quality by a core set: methods on all rows and the same methods on a core set, adjusted Rand against the known classes.
 *
 *     COTERIE_DATA=folder node bench/core-set.mjs [methods] [sets] [draws]
 *
 * 20,000 rows each: letter; pendigits with slightly moved copies of 9,008 of its rows; overlapping Gaussian groups of unequal sizes and
 * widths. 400 correct constraints about random pairs.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomFrom } from "@coterie/core/internal";

const [methods = "ccl,recon,clusilc", sets = "letter,pendigits,gaussians", draws = "1"] = process.argv.slice(2);
const coterie = fileURLToPath(new URL("../packages/cli/bin/coterie.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coterie-core-set-"));
const N = 20_000;
const PAIRS = 400;

function read(name) {
  const [head, ...lines] = readFileSync(join(process.env.COTERIE_DATA ?? ".", name), "utf8")
    .trim()
    .split("\n");
  const at = head.split(",").indexOf("class");
  const rows = lines.map((line) => line.split(","));
  const classes = rows.map((row) => row[at]);
  return { x: rows.map((row) => row.filter((_, j) => j !== at).map(Number)), classes };
}

const MAKERS = {
  letter: () => ({ k: 26, ...read("letter.csv") }),
  pendigits() {
    const { x, classes } = read("pendigits-full.csv");
    const random = randomFrom(1).split("pendigits");
    for (let i = 0; x.length < N; i++) {
      x.push(x[i].map((value) => value + 2 * random.normal()));
      classes.push(classes[i]);
    }
    return { k: 10, x, classes };
  },
  gaussians() {
    const random = randomFrom(2).split("gaussians");
    const k = 8;
    const d = 8;
    const centres = Array.from({ length: k }, () => Array.from({ length: d }, () => 2.2 * random.normal()));
    const classes = Array.from({ length: N }, () => Math.min(random.int(k), random.int(k)));
    return { k, classes, x: classes.map((c) => centres[c].map((centre) => centre + (0.6 + c / k) * random.normal())) };
  },
};

function constraints({ classes }, draw) {
  const random = randomFrom(draw).split("statements");
  const rows = random.sample(N, 2 * PAIRS);
  const lines = Array.from({ length: PAIRS }, (_, p) => {
    const [a, b] = [rows[2 * p], rows[2 * p + 1]];
    return `${classes[a] === classes[b] ? "must-link" : "cannot-link"},${a},${b}`;
  });
  return `type,a,b\n${lines.join("\n")}\n`;
}

function run(file, known, k, method, ...more) {
  const line = ["cluster", file, "--truth", "class", "-k", k, "--algorithm", method, "--constraints", known, "--json", "-q"];
  const text = execFileSync(process.execPath, [coterie, ...line.map(String), ...more], { maxBuffer: 2 ** 28, encoding: "utf8" });
  const { scores, timings } = JSON.parse(text);
  return { rand: scores.adjustedRand, seconds: timings.clustering / 1000 };
}

console.log("| set | method | draw | exact | core set | lost |");
console.log("|---|---|---|---|---|---|");
try {
  for (const name of sets.split(",")) {
    const made = MAKERS[name]();
    const file = join(folder, `${name}.csv`);
    const header = [...made.x[0].map((_, j) => `x${j}`), "class"].join(",");
    writeFileSync(file, `${header}\n${made.x.map((row, i) => `${row.join(",")},${made.classes[i]}`).join("\n")}\n`);
    for (const method of methods.split(",")) {
      for (let draw = 0; draw < Number(draws); draw++) {
        const known = join(folder, "known.csv");
        writeFileSync(known, constraints(made, draw));
        const near = run(file, known, made.k, method, "--engine", "memory");
        const exact = run(file, known, made.k, method);
        const cells = [exact.rand, near.rand, exact.rand - near.rand].map((value) => value.toFixed(3));
        console.log(`| ${name} | ${method} | ${draw} | ${cells.join(" | ")} |`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
