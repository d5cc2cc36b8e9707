/** JSON schemas of the files that Coterie writes, made from their types, and the studio's HTTP API from its OpenAPI description. */
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { VERSION } from "../../packages/cli/dist/version.js";
import { openApi } from "../../packages/workbench/dist/protocol/index.js";

const packages = (path) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));

/** Name of a schema → the type that it is made from. */
const SCHEMAS = {
  report: { title: "The report of a run (--json, --report)", file: packages("core/dist/model/result.d.ts"), type: "Report" },
  model: { title: "A saved model (--model)", file: packages("core/dist/models/model.d.ts"), type: "Model" },
};

/** A line of a constraints file in JSON lines; the CSV has the same columns. */
const CONSTRAINT = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "One constraint (a line of a constraints file in JSON lines)",
  type: "object",
  required: ["type", "a"],
  properties: {
    type: { enum: ["must-link", "cannot-link", "relative", "label"] },
    a: { type: ["string", "number"], description: "id of a row" },
    b: { type: ["string", "number"], description: "id of a row; for a label, the class" },
    c: { type: ["string", "number"], description: "relative constraints: the row that is farther away" },
    weight: { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { const: "inf" }], description: "default 1" },
  },
};

let program;
function programOf() {
  program ??= ts.createProgram(
    Object.values(SCHEMAS).map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: true, types: [] },
  );
  return program;
}

export function schemaOf(name) {
  if (name === "constraint") return CONSTRAINT;
  const { title, file, type } = SCHEMAS[name];
  const checker = programOf().getTypeChecker();
  const symbol = checker
    .getExportsOfModule(checker.getSymbolAtLocation(programOf().getSourceFile(file)))
    .find((each) => each.name === type);
  if (!symbol) throw new Error(`There is no type ${type} in ${file}.`);
  const definitions = {};
  const converter = { checker, definitions, named: new Map() };
  const body = shapeOf(checker.getDeclaredTypeOfSymbol(symbol), converter, true);
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...body, $defs: definitions };
}

function shapeOf(type, converter, isTop = false) {
  const { checker } = converter;
  const flags = type.flags;
  if (flags & ts.TypeFlags.StringLiteral || flags & ts.TypeFlags.NumberLiteral) return { const: type.value };
  if (flags & ts.TypeFlags.BooleanLiteral) return { const: type.intrinsicName === "true" };
  if (flags & ts.TypeFlags.String) return { type: "string" };
  if (flags & ts.TypeFlags.Number) return { type: "number" };
  if (flags & ts.TypeFlags.Boolean) return { type: "boolean" };
  if (flags & ts.TypeFlags.Null) return { type: "null" };
  if (type.isUnion())
    return unionOf(
      type.types.filter((each) => !(each.flags & ts.TypeFlags.Undefined)),
      converter,
    );
  if (checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type).map((each) => shapeOf(each, converter));
    return { type: "array", prefixItems: items, minItems: items.length, maxItems: items.length };
  }
  if (checker.isArrayType(type)) return { type: "array", items: shapeOf(checker.getTypeArguments(type)[0], converter) };
  if (flags & ts.TypeFlags.Object || type.isIntersection()) return objectOf(type, converter, isTop);
  return {};
}

function unionOf(types, converter) {
  if (types.every((type) => type.isLiteral?.())) return { enum: types.map((type) => type.value) };
  if (types.length === 2 && types.every((type) => type.flags & ts.TypeFlags.BooleanLiteral)) return { type: "boolean" };
  if (types.length === 1) return shapeOf(types[0], converter);
  return { anyOf: types.map((type) => shapeOf(type, converter)) };
}

/** Named objects become definitions, so that a tree can contain itself. */
function objectOf(type, converter, isTop) {
  const name = type.aliasSymbol?.name ?? (type.symbol?.flags & ts.SymbolFlags.Interface ? type.symbol.name : undefined);
  if (/^(Float64Array|Float32Array|Int32Array|Uint8Array)$/.test(name ?? "")) return { type: "array", items: { type: "number" } };
  if (isTop || !name || name === "Readonly" || name === "Record") return propertiesOf(type, converter);
  if (!converter.definitions[name]) {
    converter.definitions[name] = {};
    converter.definitions[name] = propertiesOf(type, converter);
  }
  return { $ref: `#/$defs/${name}` };
}

function propertiesOf(type, converter) {
  const { checker } = converter;
  const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  const properties = {};
  const required = [];
  for (const property of checker.getPropertiesOfType(type)) {
    const isOptional = property.flags & ts.SymbolFlags.Optional;
    const description = ts.displayPartsToString(property.getDocumentationComment(checker)).trim();
    properties[property.name] = {
      ...shapeOf(checker.getTypeOfSymbol(property), converter),
      ...(description ? { description } : {}),
    };
    if (!isOptional) required.push(property.name);
  }
  return {
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(index ? { additionalProperties: shapeOf(index, converter) } : {}),
  };
}

const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("<", "&lt;").replace(/\s+/g, " ");

function kindOf(schema, depth = 0) {
  if (schema.$ref) return schema.$ref.replace("#/$defs/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.anyOf) return schema.anyOf.map((each) => kindOf(each, depth + 1)).join(" or ");
  if (schema.prefixItems) return `[${schema.prefixItems.map((each) => kindOf(each, depth + 1)).join(", ")}]`;
  if (schema.type === "array") return `list of ${kindOf(schema.items ?? {}, depth + 1)}`;
  return [schema.type ?? "any"].flat().join(" or ");
}

/** A table of the fields of a schema, and the whole schema as a file. */
export function schemaReference(name) {
  const schema = schemaOf(name);
  const rows = Object.entries(schema.properties).map(
    ([key, each]) =>
      `| \`${key}\`${schema.required?.includes(key) ? "" : " (optional)"} | ${cell(kindOf(each))} | ${cell(each.description ?? "")} |`,
  );
  return `| field | type | what it holds |\n|---|---|---|\n${rows.join("\n")}\n\n<p><a href="/schemas/${name}.json" target="_blank">The whole JSON schema</a></p>\n`;
}

export function httpDescription() {
  return openApi(VERSION);
}

export function httpReference() {
  const { paths } = httpDescription();
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([verb, { summary, operationId }]) => `| ${verb.toUpperCase()} | \`${path}\` | ${cell(summary ?? operationId ?? "")} |`,
    ),
  );
  return `| verb | address | what it does |\n|---|---|---|\n${rows.join("\n")}\n\n<p><a href="/openapi.json" target="_blank">The whole description as OpenAPI 3.1</a></p>\n`;
}
