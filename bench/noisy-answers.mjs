/**
 * Adjusted Rand after 200 questions, with one wrong answer in ten: answers treated as certain and as evidence, compared with right answers.
 *
 *     COTERIE_DATA=folder node bench/noisy-answers.mjs [runs | from..to] [set…]
 *
 * Seeds from 100 on, and the set image, are for choosing between variants. The seeds 0 to 19 on the other three sets are for the result.
 */
import { join } from "node:path";
import { randomFrom, scoresOf, startAsking, trueAnswer } from "@coterie/core/internal";
import { readTable } from "@coterie/data";

const [runs = "10", ...wanted] = process.argv.slice(2);
const [first, last] = runs.includes("..") ? runs.split("..").map(Number) : [0, Number(runs) - 1];
const SETS = [
  { name: "iris", file: "iris-fisher.csv", k: 3, scale: "none" },
  { name: "wine", file: "wine.csv", k: 3, scale: "zscore" },
  { name: "digits", file: "digits.csv", k: 10, scale: "none" },
  { name: "image", file: "image.csv", k: 7, scale: "none", chooses: true },
].filter(({ name, chooses }) => (wanted.length === 0 ? !chooses : wanted.includes(name)));
const BUDGET = 200;
const WRONG = 0.1;

function score(points, truth, k, { wrong, errorRate, seed }) {
  const session = startAsking({ points, k, budget: BUDGET, seed, errorRate });
  const random = randomFrom(seed).split("wrong answers");
  for (let question = session.next(); question; question = session.next()) {
    const right = trueAnswer(question, truth);
    session.answer(random.unit() < wrong ? (right === "same" ? "different" : "same") : right);
  }
  return scoresOf(session.result().outcome.labels, truth).adjustedRand;
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

console.log("| set | right, law | wrong, law | right, evidence | wrong, evidence | least | learned |");
console.log("|---|---|---|---|---|---|---|");
for (const { name, file, k, scale } of SETS) {
  const points = await readTable(join(process.env.COTERIE_DATA ?? ".", file), { truth: "class", scale });
  const all = (wrong, errorRate, count = last - first + 1) =>
    Array.from({ length: count }, (_, run) => score(points, points.truth.codes, k, { wrong, errorRate, seed: first + run }));
  const noisy = all(WRONG, WRONG);
  const columns = [
    mean(all(0, 0, 1)),
    mean(all(WRONG, 0)),
    mean(all(0, WRONG, 1)),
    mean(noisy),
    Math.min(...noisy),
    mean(all(WRONG, "learn")),
  ];
  console.log(`| ${name} | ${columns.map((value) => value.toFixed(3)).join(" | ")} |`);
}
