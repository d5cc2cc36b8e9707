/** The classes of the Python package, one for each method, from the catalogue. `node tools/api-report.mjs` writes them. */
import { catalogue, needsK } from "../packages/core/dist/internal.js";
import { methodOptions } from "./method-options.mjs";

/** What every class has besides the options of its method. */
const SHARED = [
  ["random_state", "Any", "None", "seed of all random choices; None is 0"],
  ["scale", "str", '"auto"', "how numbers are scaled: auto, none, zscore, minmax, robust, log, rank"],
  ["missing", "str", '"auto"', "missing cells: auto, error, drop (label -1), impute, skip"],
  ["types", "Mapping[str, str] | None", "None", "types by column name: number, nominal, text, date, vector, ignore"],
  ["column_weights", "Mapping[str, float] | None", "None", "weights of columns in distances"],
  ["reading", "Mapping[str, Any] | None", "None", 'more options of reading, such as {"id": "customer"}'],
  ["n_jobs", "int | None", "None", "number of processor cores; None or -1 for all. The result does not depend on it"],
  ["progress", "Any", "None", "True for a bar of tqdm, or a function of (phase, done, total)"],
];

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const className = (name) => `${name[0].toUpperCase()}${name.slice(1).replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}`;

function parameterOf({ name, type, fallback, description }) {
  if (name === "k") return ["n_clusters", "Any", "None", K];
  // The usual number of starts depends on the number of clusters, as on the command line.
  if (name === "restarts") return ["restarts", "int | None", "None", `${description}; None: 10, and fewer above 50 clusters`];
  return [snake(name), typeOf(type, fallback), fallback === null ? "None" : literal(JSON.parse(fallback)), inPython(description)];
}

const K = "number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10";

/** Names of options within a description, as they are in Python. */
function inPython(description) {
  return description.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, snake);
}

function literal(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function typeOf(type, fallback) {
  const plain =
    { number: "float", boolean: "bool", string: "str" }[type] ?? (/^"/.test(type) && !/\[/.test(type) ? "str" : "Any");
  return plain === "Any" || fallback !== null ? plain : `${plain} | None`;
}

function classOf(method, options) {
  const { name, title, summary, paper, weighsRows } = method;
  const own = options.map(parameterOf);
  own.sort(([a], [b]) => Number(b === "n_clusters") - Number(a === "n_clusters"));
  const all = [...own, ...SHARED];
  const mapped = options.filter((option) => option.name !== "k").map((option) => `"${snake(option.name)}": "${option.name}"`);
  const positional = own[0]?.[0] === "n_clusters" ? 1 : 0;
  const parameters = all.map(([parameter, type, preset]) => `        ${parameter}: ${type} = ${preset},`);
  parameters.splice(positional, 0, "        *,");
  const bases = [...(needsK(method) ? ["RuleForNewRows"] : []), weighsRows ? "WeighingClusterer" : "Clusterer"];
  return `class ${className(name)}(${bases.join(", ")}):
    """
    ${title}: ${summary}.

    ${paper}

${all.map(([parameter, , , description]) => `    ${parameter}: ${description}.`).join("\n")}
    """

    _algorithm = "${name}"
    _needs_k = ${needsK(method) ? "True" : "False"}
    _options = {${mapped.join(", ")}}

    def __init__(
        self,
${parameters.join("\n")}
    ) -> None:
${all.map(([parameter]) => `        self.${parameter} = ${parameter}`).join("\n")}
`;
}

export function pythonMethods() {
  const groups = methodOptions();
  const classes = catalogue.map((method) => classOf(method, groups.find(({ methods }) => methods.includes(method.name)).options));
  return `"""One estimator for each method. \`node tools/api-report.mjs\` writes this file from the catalogue."""

from __future__ import annotations

from typing import Any, Mapping

from ._base import BaseClusterer, Clusterer, RuleForNewRows, WeighingClusterer

${classes.map((text) => `\n${text}`).join("\n")}

METHODS: dict[str, type[BaseClusterer]] = {
${catalogue.map(({ name }) => `    "${name}": ${className(name)},`).join("\n")}
}

__all__ = [
    "METHODS",
${catalogue.map(({ name }) => `    "${className(name)}",`).join("\n")}
]
`;
}
