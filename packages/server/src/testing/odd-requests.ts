/**
 * Requests made up from the OpenAPI page: most fit their schemas, some almost, some not at all. All comes from a seeded stream, so that
 * a request that does harm can be sent again.
 */
import { type Random, randomFrom } from "@coterie/core/internal";

export interface OddRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface OpenApiPage {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Values that are there, so that requests get past the first check. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

const ODD_TEXTS = [
  "",
  " ",
  "0",
  "-1",
  "null",
  "x".repeat(5_000),
  "ü\u0000\u202e",
  "=1+1",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "{}",
  "1e999",
  "NaN",
  "'; DROP TABLE entries; --",
  "\ud800",
  "%00",
  "a\nb",
];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  -0,
  2 ** 53,
  [],
  {},
  "",
  "x",
  [[]],
  { __proto__: null, type: "add" },
];

export function* oddRequests(page: OpenApiPage, known: Known, seed: number): Generator<OddRequest, void, void> {
  const random = randomFrom(seed);
  const operations = Object.entries(page.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== "events")
      .map(([method, operation]) => ({ path, method, operation })),
  );
  for (;;) yield requestFor(operations[random.int(operations.length)]!, known, random);
}

function requestFor(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  known: Known,
  random: Random,
): OddRequest {
  const value = (name: string, schema: Schema) => {
    const picked = pick(name, schema, known, random);
    return typeof picked === "string" ? picked : JSON.stringify(picked);
  };
  let address = path;
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(safe(value(name, schema))) || "x");
    else if (required ? random.unit() < 0.95 : random.unit() < 0.5) query.set(name, safe(value(name, schema)));
  }
  const request = {
    method: (random.unit() < 0.02 ? "put" : method).toUpperCase(),
    path: `${address}${query.size > 0 ? `?${query}` : ""}`,
  };
  const [content] = Object.entries(operation.requestBody?.content ?? {});
  if (!content || ["GET", "DELETE"].includes(request.method)) return { ...request, headers: {} };
  const [type, { schema }] = content;
  const headers = { "content-type": random.unit() < 0.03 ? "text/plain" : type };
  if (type === "application/octet-stream") return { ...request, headers, body: bytes(random) };
  const body = random.unit() < 0.03 ? "{" : JSON.stringify(pick("", schema, known, random));
  return { ...request, headers, body };
}

/** What cannot be in an address at all is not sent. */
function safe(text: string): string {
  return text.replaceAll(/[\ud800-\udfff]/g, "?");
}

function bytes(random: Random): Uint8Array<ArrayBuffer> {
  const texts = [
    "x,y\n1,2\n3,4\n",
    "type,a,b\nmust-link,0,1\n",
    "((0,1),(2,3));",
    "{}",
    "",
    "PAR1",
    "ARROW1",
    "a\n",
    "type,a,b\nmust-link,0,0\n",
    "x;y\n1,5;2\n",
  ];
  if (random.unit() < 0.6) return new TextEncoder().encode(texts[random.int(texts.length)]!);
  return Uint8Array.from({ length: random.int(300) }, () => random.int(256));
}

/** Known by its name, by its schema, or odd. */
function pick(name: string, schema: Schema, known: Known, random: Random): unknown {
  const odd = random.unit();
  if (odd < 0.04) return ODD_VALUES[random.int(ODD_VALUES.length)];
  if (odd < 0.08) return ODD_TEXTS[random.int(ODD_TEXTS.length)];
  const there = known[name];
  if (there && random.unit() < 0.85) return there[random.int(there.length)];
  return schemaValue(schema, known, random);
}

function schemaValue(schema: Schema, known: Known, random: Random): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[random.int(schema.enum.length)];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return schemaValue(choices[random.int(choices.length)]!, known, random);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => schemaValue(each, known, random)));
  const type = Array.isArray(schema.type) ? schema.type[random.int(schema.type.length)] : schema.type;
  switch (type) {
    case "object":
      return objectOf(schema, known, random);
    case "array": {
      const length = (schema.minItems ?? 0) + random.int(3);
      return Array.from({ length: Math.min(length, schema.maxItems ?? length) }, () =>
        pick("", schema.items ?? {}, known, random),
      );
    }
    case "integer":
    case "number": {
      const least = schema.minimum ?? schema.exclusiveMinimum ?? 0;
      return least + random.int(Math.min(1 + (schema.maximum ?? 12) - least, 12)) + (type === "number" ? random.unit() : 0);
    }
    case "boolean":
      return random.unit() < 0.5;
    case "null":
      return null;
    default:
      return textOf(schema, random);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, known: Known, random: Random): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties))
    if (required.includes(name) ? random.unit() < 0.98 : random.unit() < 0.4) made[name] = pick(name, schema, known, random);
  if (random.unit() < 0.02) made.extra = 1;
  return made;
}

function textOf({ pattern, minLength = 0 }: Schema, random: Random): string {
  const letters = () => Array.from({ length: 9 + random.int(8) }, () => "abcdefghij0123456789"[random.int(20)]).join("");
  if (pattern?.startsWith("^\\d")) return Array.from({ length: 1 + random.int(4) }, () => random.int(50)).join(",");
  return letters().padEnd(minLength, "x");
}
