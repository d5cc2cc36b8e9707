/**
 * What follows from the catalogue and the definitions of its methods: the options as types with descriptions, which editors show, and as
 * tables; the exports of core; the methods of the library with their documentation. `node tools/api-report.mjs` writes them.
 */
import { readFileSync } from "node:fs";
import { catalogue, z } from "../packages/core/dist/internal.js";

/**
 * Methods of the same options together.
 *
 * @typedef {{ name: string, type: string, optional: boolean, fallback: string | null, description: string }} Option
 * @returns {{ methods: string[], options: Option[] }[]}
 */
export function methodOptions() {
  const groups = new Map();
  for (const { name, options: schema } of catalogue) {
    const options = Object.entries(schema.shape).map(([option, each]) => ({
      name: option,
      type: typeOf(each),
      optional: each.def.type === "optional" || each.def.type === "default",
      fallback: each.def.type === "default" ? JSON.stringify(each.def.defaultValue) : null,
      description: descriptionOf(each, option),
    }));
    const key = JSON.stringify(options);
    groups.set(key, { methods: [...(groups.get(key)?.methods ?? []), name], options });
  }
  return [...groups.values()];
}

function typeOf({ def }) {
  switch (def.type) {
    case "number":
    case "boolean":
    case "string":
      return def.type;
    case "enum":
      return Object.values(def.entries)
        .map((value) => JSON.stringify(value))
        .join(" | ");
    case "union":
      return def.options.map(typeOf).join(" | ");
    case "array":
      return /[ |]/.test(typeOf(def.element)) ? `(${typeOf(def.element)})[]` : `${typeOf(def.element)}[]`;
    case "optional":
    case "default":
      return typeOf(def.innerType);
    case "pipe":
      return typeOf(def.in);
    default:
      throw new Error(`tools/method-options.mjs knows no schema of the type ${def.type}.`);
  }
}

/** An option with a default says what the schema inside of it says. */
function descriptionOf(schema, option) {
  const found = z.globalRegistry.get(schema)?.description;
  if (found) return found;
  if (schema.def.innerType) return descriptionOf(schema.def.innerType, option);
  throw new Error(`The option ${option} has no description.`);
}

const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

/** `CclOptions` of ccl; methods of the same options share the name of the first. */
const typeName = ([first]) => `${first[0].toUpperCase()}${camel(first).slice(1)}Options`;

/** Words before a colon are names of values, and stay as they are. */
function sentence({ description, fallback }) {
  const text = /^\w+:/.test(description) ? description : `${description[0].toUpperCase()}${description.slice(1)}`;
  return fallback === null || description.includes("default: ") ? `${text}.` : `${text}. Default: \`${fallback}\`.`;
}

/** The declarations, as text: first the options that several methods have with the same description, then each method. */
export function optionTypes() {
  const groups = methodOptions();
  const property = (option) =>
    `  /** ${sentence(option)} */\n  ${option.name}${option.optional ? "?" : ""}: ${option.type}${option.optional ? " | undefined" : ""};`;
  const all = groups.flatMap(({ options }) => options.map((option) => ({ name: option.name, text: property(option) })));
  const shared = new Map();
  for (const { name, text } of all) {
    const uses = all.filter((each) => each.text === text).length;
    if (uses > (shared.get(name)?.uses ?? 1)) shared.set(name, { text, uses });
  }
  const isShared = (option) => shared.get(option.name)?.text === property(option);
  const types = groups.map(({ methods, options }) => {
    const names = options.filter(isShared).map(({ name }) => JSON.stringify(name));
    const own = options.filter((option) => !isShared(option)).map((option) => `\n${property(option)}`);
    const body = own.length > 0 ? `{${own.join("")}\n}` : "{}";
    const base = names.length > 0 ? `extends Pick<SharedOptions, ${names.join(" | ")}> ` : "";
    return `/** Options of ${methods.join(", ")}. */\ninterface ${typeName(methods)} ${base}${body}\n`;
  });
  const key = (name) => (name.includes("-") ? JSON.stringify(name) : name);
  const byName = groups.flatMap(({ methods }) => methods.map((name) => `  ${key(name)}: ${typeName(methods)};`));
  return [
    "// biome-ignore-all format: made by a tool, one line for one option",
    "/** Made from the schemas of the methods by `node tools/api-report.mjs`, so that editors show what an option is for. A test compares. */",
    "",
    `/** Options that several methods have. */\ninterface SharedOptions {\n${[...shared.values()].map(({ text }) => text).join("\n")}\n}\n`,
    ...types,
    "/** The options of each method of the catalogue, by its name. */",
    `export interface OptionsByMethod {\n${byName.join("\n")}\n}`,
    "",
  ].join("\n");
}

export function optionTables() {
  const cell = (text) => text.replaceAll("|", "\\|");
  const fallbackOf = ({ optional, fallback }) => (fallback === null ? (optional ? "" : "required") : `\`${cell(fallback)}\``);
  return methodOptions()
    .map(({ methods, options }) => {
      const rows = options.map(
        (option) => `| \`${option.name}\` | \`${cell(option.type)}\` | ${fallbackOf(option)} | ${cell(option.description)} |`,
      );
      const title = methods.map((name) => `\`${name}\``).join(", ");
      return `### ${title}\n\n| option | type | default | what for |\n|---|---|---|---|\n${rows.join("\n")}\n`;
    })
    .join("\n");
}

/** The exports of packages/core/src/methods.ts: the methods that the catalogue imports. */
export function coreExports() {
  const source = readFileSync(new URL("../packages/core/src/catalogue.ts", import.meta.url), "utf8");
  const imports = [...source.matchAll(/^import (\{[^}]*\} from "\.\/algorithms\/[^"]+";)/gm)].map(([, names]) => names);
  return `/** Every method by its name. Made from the imports of catalogue.ts by \`node tools/api-report.mjs\`. */\n${imports.map((names) => `export ${names}\n`).join("")}`;
}

/** packages/cli/src/library/methods.ts. */
export function libraryMethods() {
  const head = `/**
 * Every method of the catalogue, with the fast WebAssembly kernels. A direct call of a method and a call through \`cluster\` give the same
 * result. \`node tools/api-report.mjs\` writes this file from the definitions of the methods.
 */
import * as core from "@coterie/core/internal";
import { sharedKernels, sharedRowKernels } from "./shared-kernels.js";
`;
  const method = ({ name, title, summary, paper, example, family }) => `
/**
 * ${title}: ${summary}. ${paper}.
 *
 * \`\`\`ts
 * ${example}
 * \`\`\`
 */
export const ${camel(name)} = /* @__PURE__ */ core.withKernels(core.${camel(name)}, ${family === "hierarchy" ? "sharedKernels" : "sharedRowKernels"});
`;
  return head + catalogue.map(method).join("");
}
