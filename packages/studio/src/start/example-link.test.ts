import { expect, test } from "vitest";
import { parseExampleLink } from "./example-link.js";

test("a link carries table, constraints and settings", () => {
  const link = parseExampleLink(
    "#/open?table=/data/a.csv&constraints=/data/b.csv&k=4&algorithm=ccl&truth=kind&ignore=x,y&text=t",
  );
  expect(link).toMatchObject({
    title: "a.csv",
    sample: null,
    k: 4,
    algorithm: "ccl",
    reading: { truth: "kind", ignore: ["x", "y"], types: { t: "text" } },
  });
});

test("a sample by name; a number of clusters that is none is left out", () => {
  expect(parseExampleLink("#/open?sample=wine&k=many")).toMatchObject({ title: "wine", sample: "wine", k: null, reading: {} });
});

test("other addresses are no links to examples", () => {
  for (const hash of ["", "#/", "#/projects/a/map?open=1", "#/open"]) expect(parseExampleLink(hash)).toBeNull();
});
