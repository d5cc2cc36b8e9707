/** What a method's page takes from its definition, and the chart "Which method?". */
import { readFileSync } from "node:fs";
import { catalogue, constraints, needsK } from "../../packages/core/dist/internal.js";
import { methodOptions } from "../method-options.mjs";
import { QUESTIONS } from "./which-method.mjs";

const cell = (text) => String(text).replaceAll("|", "\\|");

const KINDS = [
  ["mustLink", "must-links"],
  ["cannotLink", "cannot-links"],
  ["relative", "relative constraints"],
  ["labels", "labels"],
  ["exclusive", "exclusive groups"],
];

const TREATMENTS = {
  hard: "always kept",
  soft: "a penalty for each broken one",
  "hard-only": "kept if the weight is infinite, otherwise ignored",
  ignored: "ignored; broken ones are reported",
};

const FAMILIES = {
  partition: "clusters around centres",
  hierarchy: "a hierarchy of merges, cut into clusters",
  tree: "a tree of tests on columns",
  pairs: "clusters from scored pairs of rows",
};

/** Rows of the estimate of running times, with 10 columns, 5 clusters and 100 must-links. */
const SIZES = [1_000, 10_000, 100_000];
const LINKS = 100;

function costRow(method) {
  const times = SIZES.map((n) => {
    const rows = Array.from({ length: LINKS }, (_, i) => [i, n - 1 - i]);
    const points = { n, d: 10, names: [] };
    return timeText(method.seconds({ points, constraints: constraints(points, { mustLink: rows }) }, { k: 5 }));
  });
  return ["Estimated time", SIZES.map((n, i) => `${n.toLocaleString("en")} rows: ${times[i]}`).join(" · ")];
}

function timeText(seconds) {
  if (seconds < 0.1) return "less than 0.1 s";
  if (seconds < 90) return `about ${seconds < 10 ? seconds.toPrecision(1) : Math.round(seconds)} s`;
  return seconds < 5_400 ? `about ${Math.round(seconds / 60)} min` : `about ${Math.round(seconds / 3_600)} h`;
}

function optionsOf({ name }) {
  return methodOptions().find(({ methods }) => methods.includes(name)).options;
}

export function methodFacts(method) {
  const engine =
    method.onEngine === undefined
      ? "no"
      : typeof method.onEngine === "string"
        ? `approximately, on ${method.onEngine === "sample" ? "a sample" : method.onEngine} ([how](/engines#core-sets))`
        : "yes, exactly ([how](/engines))";
  const rows = [
    ["Name", `\`${method.name}\``],
    ["Result", FAMILIES[method.family]],
    [
      "Number of clusters",
      needsK(method)
        ? "you give `-k K`, or a range such as `-k 2..10`"
        : method.family === "pairs"
          ? "found by the method"
          : "you give `-k K`, or the method finds it",
    ],
    ...KINDS.map(([key, title]) => [`${title[0].toUpperCase()}${title.slice(1)}`, TREATMENTS[method.treats[key]]]),
    ["Row weights", method.weighsRows ? "yes" : "no"],
    ["Tables larger than memory", engine],
    costRow(method),
    ["Paper", method.paper],
  ];
  return `| fact | value |\n|---|---|\n${rows.map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")}\n`;
}

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function flagOf({ name, type, fallback }) {
  if (name === "k") return "-k";
  return type === "boolean" && fallback === "true" ? `--no-${kebab(name)}` : `--${kebab(name)}`;
}

export function methodOptionTable(method) {
  const rows = optionsOf(method).map((option) => {
    const fallback = option.fallback === null ? (option.optional ? "" : "required") : `\`${option.fallback}\``;
    return `| \`${flagOf(option)}\` | \`${option.name}\` | ${cell(fallback)} | ${cell(option.description)} |`;
  });
  return `| flag | option | default | what for |\n|---|---|---|---|\n${rows.join("\n")}\n\nIn code:\n\n\`\`\`ts\n${method.example}\n\`\`\`\n`;
}

export function methodTable() {
  const sign = { hard: "kept", soft: "weighed", "hard-only": "if infinite", ignored: "–" };
  const rows = catalogue.map(
    (method) =>
      `| [${method.name}](/methods/${method.name}) | ${method.summary} | ${["mustLink", "cannotLink", "relative"].map((key) => sign[method.treats[key]]).join(" | ")} |`,
  );
  return `| method | what it does | must-links | cannot-links | relative |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
}

/** The decision chart: a list of questions, each with a list of answers that lead to methods or to another question. */
export function whichMethod() {
  const link = (name) => `<a href="/methods/${name}"><code>${name}</code></a>`;
  const cards = QUESTIONS.map(({ question, answers }, index) => {
    const tiles = answers.map(({ answer, methods, why, next }) => {
      const goal = methods ? methods.map(link).join(" or ") : `<a href="#question-${next}">question ${next}</a>`;
      return `<li><b>${answer}</b> <span class="goal">${goal}</span>${why ? ` <span class="why">${why}</span>` : ""}</li>`;
    });
    return `<li class="question" id="question-${index + 1}"><p>${index + 1}. ${question}</p><ul>${tiles.join("")}</ul></li>`;
  });
  return `<ol class="which-method">${cards.join("")}</ol>\n`;
}

const measured = JSON.parse(readFileSync(new URL("../../docs/measurements/method-comparison.json", import.meta.url), "utf8"));

/** The method beside k-means and `auto` on packaged sets, from the stored measurement. */
export function methodComparison({ name, family }) {
  if (family === "pairs") return "On four public tables of people and papers: [the measurements](/measurements/duplicates).\n";
  const at = (set, method) => measured.rows.find((row) => row.set === set && row.method === method);
  const score = (value, error) =>
    value === null || value === undefined ? "–" : `${value.toFixed(2)}${error ? ` ± ${error.toFixed(2)}` : ""}`;
  const others = ["kmeans", "auto"].filter((other) => other !== name);
  const rows = measured.sets.map((set) => {
    const own = at(set, name);
    const beside = others.map((other) =>
      other === "kmeans" ? score(at(set, other)?.without) : score(at(set, other)?.with, at(set, other)?.error),
    );
    return `| ${set} | ${score(own?.without)} | ${score(own?.with, own?.error)} | ${beside.join(" | ")} |`;
  });
  const heads = others.map((other) => (other === "kmeans" ? "k-means, without" : "`auto`, with"));
  return `Adjusted Rand index with the known classes: 1 is perfect, 0 is chance. *With*: ${measured.count} constraints drawn from the classes, mean of ${measured.draws} draws ± standard error. –: the method uses no constraints.\n\n| table | without | with | ${heads.join(" | ")} |\n|---|---|---|${heads.map(() => "---|").join("")}\n${rows.join("\n")}\n`;
}
