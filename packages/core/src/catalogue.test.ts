import { expect, test } from "vitest";
import { z } from "zod";
import { catalogue, findMethod } from "./catalogue.js";

test("names are the ones that people rely on, each once", () => {
  const names = catalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of ["kmeans", "complete-link", "single-link", "average-link", "ward", "centroid-link"]) {
    expect(findMethod(name)?.name).toBe(name);
  }
  expect(findMethod("nothing")).toBeUndefined();
});

test("every option of every method is described", () => {
  for (const { options, name } of catalogue) {
    const schema = z.toJSONSchema(options, { io: "input" }) as { properties: Record<string, { description?: string }> };
    for (const [option, { description }] of Object.entries(schema.properties)) {
      expect(description, `${name}.${option}`).toMatch(/\w{3}/);
    }
  }
});
