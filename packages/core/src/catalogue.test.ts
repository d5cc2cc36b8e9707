import { expect, test } from "vitest";
import * as z from "zod";
import { titleOf } from "./algorithms/method.js";
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

test("a linkage other than complete is not called complete", () => {
  const ccl = findMethod("ccl")!;
  expect(titleOf(ccl, {})).toBe("Constrained complete linkage");
  expect(titleOf(ccl, { linkage: "average" })).toBe("Constrained average linkage");
  expect(titleOf(ccl, { linkage: "ward" })).toBe("Constrained Ward linkage");
  expect(titleOf(findMethod("kmeans")!, { linkage: "average" })).toBe("k-means");
});
