import { catalogue, takesK, z } from "@coterie/core/internal";
import { type ColumnReply, type Constraint, exportedOf, type Standing, tallyOf } from "@coterie/workbench/protocol";
import { expect, test } from "vitest";
import { readingOf } from "../page/offers.js";
import { readingWith } from "../start/start.js";
import { faultOf, wordsOf } from "../state/lookups.js";
import { withRole, withType, withWeight } from "../state/reading.js";
import { spoken } from "../state/spoken.js";
import { chainWords, closingWords, foldChain, hardestOf, rulerOf } from "./diagnosis-panel.js";
import { parseConstraint, withLeftOut } from "./knowledge-panel.js";

import { fieldsOf, summaryOf, titleOf, usesSigns, usesWords, valueFrom } from "./method-panel.js";

test("every option of every method has a field with a name and help", () => {
  for (const method of catalogue) {
    const schema = z.toJSONSchema(method.options, { io: "input" }) as { properties: Record<string, unknown> };
    const fields = fieldsOf(schema);
    expect(fields.map(({ name }) => name).sort(), method.name).toEqual(Object.keys(schema.properties).sort());
    for (const field of fields)
      expect([field.title.length > 0, field.help.length > 0], `${method.name} ${field.name}`).toEqual([true, true]);
    expect(
      fields.some(({ name, first }) => name === "k" && first),
      method.name,
    ).toBe(takesK(method));
  }
});

test("fields have the bounds and choices of the schema, in the reader's words", () => {
  const mpck = catalogue.find(({ name }) => name === "mpck-means")!;
  const fields = fieldsOf(z.toJSONSchema(mpck.options, { io: "input" }) as Record<string, unknown>);
  const metric = fields.find(({ name }) => name === "metrics")!;
  expect(metric).toMatchObject({ title: "Metric", kind: "choice", preset: "single", first: true });
  expect(metric.choices.map(({ label }) => label)).toEqual(["One for all", "One per cluster"]);
  expect(fields.find(({ name }) => name === "restarts")).toMatchObject({ kind: "whole", min: 1, max: undefined });
  expect(summaryOf(fields, { k: 3, matrix: "full" }, 4)).toBe("metric type full, 10 restarts, seed 4");
});

test("titles and values of fields", () => {
  expect(titleOf("labelRule")).toBe("Label rule");
  expect(valueFrom({ kind: "number" }, " 0.5 ")).toBe(0.5);
  expect(valueFrom({ kind: "number" }, "x")).toBeUndefined();
  expect(valueFrom({ kind: "list" }, "a, b")).toEqual(["a", "b"]);
  expect(valueFrom({ kind: "text" }, "")).toBeUndefined();
});

function standing(constraint: Constraint, i: number): Standing {
  return { entry: `e${i}`, seq: i + 1, constraint, by: "me", at: "", from: { kind: "drawn" }, counts: i !== 1 };
}

test("how many answers a method uses, and how many there are, by kind and in all", () => {
  const treats = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "ignored" } as const;
  const said: Constraint[] = [
    { type: "must-link", a: 1, b: 2 },
    { type: "cannot-link", a: 1, b: 3 },
    { type: "relative", a: 1, b: 2, c: 3 },
    { type: "label", a: 4, class: "x" },
    { type: "unsure", rows: [5, 6] },
    { type: "exclusive", column: "source" },
  ];
  const constraints = said.map((constraint, i) => standing(constraint, i));
  expect(usesWords({ treats }, constraints)).toBe("uses 2 of 6 answers");
  const { all, of, checkable } = tallyOf(constraints);
  expect([all, Object.values(of).reduce((sum, n) => sum + n), checkable, exportedOf(constraints)]).toEqual([6, 6, 4, 3]);
  expect(usesSigns({ treats })).toBe("= ≠ label");
});

test("constraints that are typed", () => {
  const idOf = (word: string) => (/^\d+$/.test(word) ? Number(word) : null);
  expect(parseConstraint("109 = 325", idOf)).toEqual({ type: "must-link", a: 109, b: 325 });
  expect(parseConstraint("281 != 330", idOf)).toEqual({ type: "cannot-link", a: 281, b: 330 });
  expect(parseConstraint("127, 113 | 319", idOf)).toEqual({ type: "relative", a: 127, b: 113, c: 319 });
  expect(parseConstraint("337 is Chinstrap", idOf)).toEqual({ type: "label", a: 337, class: "Chinstrap" });
  expect(parseConstraint("337 = x", idOf)).toBe("There is no row x.");
  expect(parseConstraint("3 = 3", idOf)).toBe("The rows must differ.");
  expect(parseConstraint("hello", idOf)).toMatch(/^Write the answer as/);
  expect(parseConstraint("= 3", idOf)).toMatch(/^Write the answer as/);
  expect(parseConstraint("127, 113, 319", idOf)).toMatch(/^Write the answer as/);
  expect(parseConstraint("337   is   Chinstrap  penguin ", idOf)).toMatchObject({ type: "label", class: "Chinstrap  penguin" });
  // As long as a person can paste: a form that looks at a blank again and again takes minutes here.
  for (const line of [`1${" ".repeat(200_000)}2`, `1${", ".repeat(100_000)}`, `1 is${" ".repeat(200_000)}x\n|`])
    expect(parseConstraint(line, idOf)).not.toBe(undefined);
});

test("the ruler shows the number in use and what is ruled out beside it", () => {
  expect(rulerOf(3, 3).map(({ k, state }) => `${k} ${state}`)).toEqual(["2 no", "3 now", "4 yes", "5 yes"]);
  expect(rulerOf(2, null).map(({ k, state }) => `${k} ${state}`)).toEqual(["1 yes", "2 now", "3 yes", "4 yes"]);
  expect(rulerOf(9, 3).map(({ k }) => k)).toContain(9);
});

test("rows of one group are one line among the hardest", () => {
  const points = [
    { id: 281, degree: 4 },
    { id: 290, degree: 4 },
    { id: 129, degree: 3 },
    { id: 5, degree: 0 },
  ];
  expect(hardestOf({ points, components: [{ members: [281, 290] }] }, 3)).toEqual([
    { ids: [281, 290], degree: 4 },
    { ids: [129], degree: 3 },
  ]);
});

test("long chains are folded in the middle", () => {
  expect(foldChain([1, 2, 3], 5)).toEqual([1, 2, 3]);
  expect(foldChain([1, 2, 3, 4, 5, 6, 7], 5)).toEqual([1, 2, { folded: 3 }, 6, 7]);
  expect(chainWords(4)).toBe("These four answers cannot all hold");
});

test("a column has one role, and there is one truth", () => {
  const column = (name: string, role: ColumnReply["role"]): ColumnReply => ({
    name,
    role,
    kind: "number",
    missing: 0,
    counts: [],
  });
  const columns = [column("a", "feature"), column("b", "feature"), column("c", "truth")];
  const reading = { truth: "c", scale: "none", missing: "drop" } as const;
  expect(withRole(reading, columns, "b", "ignored")).toEqual({ features: ["a"], ignore: [], truth: "c" });
  expect(withRole(reading, columns, "b", "truth")).toEqual({ features: ["a"], ignore: [], truth: "b" });
  expect(withRole(reading, columns, "c", "feature")).toEqual({ features: ["a", "b", "c"], ignore: [], truth: null });
  const named = { ...reading, id: "b" };
  expect(withRole(named, columns, "b", "ignored")).toEqual({ features: ["a"], ignore: [], truth: "c", id: null });
});

test("types and weights of columns: what is plain is not said", () => {
  const reading = { scale: "none", missing: "drop" } as const;
  expect(withType(reading, "x", "date")).toEqual({ x: "date" });
  expect(withType({ ...reading, types: { x: "date", y: "text" } }, "x", null)).toEqual({ y: "text" });
  expect(withType({ ...reading, types: { x: "date" } }, "x", null)).toBeNull();
  expect(withWeight(reading, "x", 2)).toEqual({ x: 2 });
  expect(withWeight({ ...reading, weights: { x: 2 } }, "x", 1)).toBeNull();
});

test("sentences with flags are worded for the page, and the effects of the flags are offered", () => {
  const said = spoken(
    `Every row has its own "HTML <b>"; if it names the rows, say --id 'HTML <b>'; else compare it as text (--type 'HTML <b>=text'), or leave it out (--ignore 'HTML <b>').`,
  );
  expect(said.words).toBe(
    'Every row has its own "HTML <b>"; if it names the rows, make it the id; else compare it as text, or leave it out.',
  );
  expect(said.offers.map(({ words }) => words)).toEqual([
    "Use HTML <b> as the id",
    "Compare HTML <b> as text",
    "Leave out HTML <b>",
  ]);
  expect(said.offers[2]).toMatchObject({ kind: "role", column: "HTML <b>", role: "ignored" });
  const date = spoken('Column "Datum" is read as dates ("2024-02-02" is 19755). --type Datum=nominal reads it as text.');
  expect(date).toMatchObject({
    words: 'Column "Datum" is read as dates ("2024-02-02" is 19755).',
    offers: [{ type: "nominal" }],
  });
  expect(spoken("t.csv separates its cells by tabs (recognised; --delimiter overrides).").words).toBe(
    "t.csv separates its cells by tabs (recognised).",
  );
  expect(spoken("Leave it out (--ignore 'it'\\''s, a\\, b').").offers).toMatchObject([{ column: "it's, a, b" }]);
  expect(spoken("Nothing to do with flags -- at all.")).toEqual({ words: "Nothing to do with flags -- at all.", offers: [] });
});

test("a recognised role is reported without flags, with a button that undoes it; a possible role, with a button that sets it", () => {
  const id = spoken(
    'Column "ID" has the ids of the rows, because every row has a different value in it, and is not a feature; --id none makes it a feature. So has "nr", and is left out.',
  );
  expect(id.words).toBe(
    'Column "ID" has the ids of the rows, because every row has a different value in it, and is not a feature. So has "nr", and is left out.',
  );
  expect(id.offers).toEqual([{ kind: "role", column: "ID", role: "feature", words: "Use ID as a feature" }]);
  const truth = spoken('Column "my class" looks like known classes: clusterings are scored with it, and it is not a feature.');
  expect(truth.offers).toEqual([{ kind: "role", column: "my class", role: "feature", words: "Use my class as a feature" }]);
  const feature = spoken(
    `Column "my class" looks like known classes, and is a feature; --truth 'my class' scores the clusters with it instead.`,
  );
  expect(feature).toEqual({
    words: 'Column "my class" looks like known classes, and is a feature.',
    offers: [{ kind: "role", column: "my class", role: "truth", words: "Use my class as the known class" }],
  });
  const role = (name: string, is: "id" | "truth" | "feature") => ({
    name,
    role: is,
    kind: "number" as const,
    missing: 0,
    counts: [],
  });
  const columns = [role("ID", "id"), role("x", "feature"), role("my class", "truth")];
  const reading = { id: "ID", truth: "my class", scale: "zscore", missing: "drop" } as const;
  expect(readingOf(truth.offers[0]!, reading, columns)).toMatchObject({ features: ["x", "my class"], truth: null, id: "ID" });
  expect(readingOf(id.offers[0]!, reading, columns)).toMatchObject({ features: ["ID", "x"], id: null, truth: "my class" });
  expect(readingWith({}, id.offers[0]!)).toEqual({ id: null });
});

test("a refusal is shown once, and its offers change the reading", () => {
  const remedy =
    "Leave out the emptiest columns (--ignore), fill the cells (--missing impute), or compare rows by the cells that both have (--missing skip).";
  const problem = { code: "bad-input", file: "t.csv", message: `t.csv: Every row has a missing cell. ${remedy}`, remedy };
  expect(faultOf(problem)).toBe("t.csv: Every row has a missing cell.");
  expect(wordsOf(problem)).toBe(
    "t.csv: Every row has a missing cell. Leave out the emptiest columns, fill the cells, or compare rows by the cells that both have.",
  );
  const { offers } = spoken(remedy);
  expect(offers.map(({ words }) => words)).toEqual(["Fill missing cells", "Compare by the cells both have"]);
  expect(readingWith({ ignore: ["a"] }, offers[0]!)).toEqual({ ignore: ["a"], missing: "impute" });
  expect(readingOf(offers[1]!, { scale: "none", missing: "drop" }, [])).toEqual({ missing: "skip" });
  const [id, leave] = spoken("say --id name; else leave it out (--ignore name)").offers;
  expect([readingWith({}, id!), readingWith({ ignore: ["x"] }, leave!)]).toEqual([{ id: "name" }, { ignore: ["x", "name"] }]);
});

test("a row that is not there may be left out; a chain says what closed it", () => {
  expect(withLeftOut("There is no row K-1.", 0)).toBe("There is no row K-1.");
  expect(withLeftOut("There is no row K-1.", 67)).toBe(
    "There is no row K-1. 67 rows of the file are left out: cells are missing.",
  );
  const [a, b, c] = ["a", "b", "c"].map(
    (entry) => ({ entry, from: { kind: "drawn" }, constraint: { type: "must-link", a: 0, b: 1 } }) as never,
  );
  expect(closingWords(c, [a!, b!], [a!, b!, c!])).toBe("≠ added last");
  expect(closingWords(a, [b!, c!], [a!, b!, c!])).toBe("≠ drawn");
});
