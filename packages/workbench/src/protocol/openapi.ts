/** Describes the routes as OpenAPI 3.1, for tools that read OpenAPI and for tests that send unusual requests. */
import { z } from "zod";
import { type Route, routes } from "./routes.js";
import { problemReply } from "./words.js";

type Json = Readonly<Record<string, unknown>>;

export function openApi(version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(routes)) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(name, route);
  }
  paths["/api/projects/{project}/events"] = { get: eventsOperation() };
  return {
    openapi: "3.1.0",
    info: { title: "Coterie studio", version, description: "The server behind the studio, on loopback, with a token." },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{ token: [] }],
    paths,
  };
}

function operation(name: string, { summary, params, query, body, reply }: Route): Json {
  return {
    operationId: name,
    summary,
    parameters: [...parameters(params, "path"), ...parameters(query, "query")],
    ...(body === undefined ? {} : { requestBody: { required: true, content: requestContent(body) } }),
    responses: {
      200: { description: "done", content: { "application/json": { schema: schemaOf(reply, "output") } } },
      ...failures(),
    },
  };
}

const FAILURES = {
  400: "the request does not fit its schema",
  401: "the token is missing or wrong",
  403: "the request comes from another page or for another host",
  404: "there is no such project, run, row or file",
  405: "the address is not for this method",
  409: "it cannot be done now",
  413: "more bytes than the limit",
  431: "the address is longer than any that is meant",
  422: "the data or constraints are wrong, or cannot hold",
  507: "the disk is full or cannot be written: nothing was changed",
};

function failures(): Json {
  return Object.fromEntries(Object.entries(FAILURES).map(([status, description]) => [status, failure(description)]));
}

function failure(description: string): Json {
  return { description, content: { "application/json": { schema: schemaOf(problemReply, "output") } } };
}

function requestContent(body: z.ZodType | "bytes"): Json {
  return body === "bytes"
    ? { "application/octet-stream": { schema: { type: "string", format: "binary" } } }
    : { "application/json": { schema: schemaOf(body, "input") } };
}

function parameters(schema: z.ZodType | undefined, where: "path" | "query"): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: property,
  }));
}

/** The JSON schema of a value. If the value arrives as text, the schema describes the converted value. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (io === "input" && def.type === "number" && "coerce" in def && def.coerce) jsonSchema.type = "integer";
      // Some readers of OpenAPI do not know `prefixItems`. So a tuple is described as a list, whose items have any of the tuple's types.
      if (jsonSchema.prefixItems) {
        jsonSchema.items = { anyOf: jsonSchema.prefixItems as z.core.JSONSchema.JSONSchema[] };
        delete jsonSchema.prefixItems;
      }
    },
  }) as Record<string, unknown>;
  return rest;
}

function eventsOperation(): Json {
  return {
    operationId: "events",
    summary: "what happens in a project, as server-sent events",
    parameters: [{ name: "project", in: "path", required: true, schema: { type: "string" } }],
    responses: {
      200: { description: "events until the connection ends", content: { "text/event-stream": {} } },
      ...failures(),
    },
  };
}
