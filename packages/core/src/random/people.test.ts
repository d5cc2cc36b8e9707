import { expect, test } from "vitest";
import { randomFrom } from "./random.js";
import { makePeople } from "./synthetic.js";

test("2,000 records of 4 sources: no source knows a person twice, and what should go wrong does", () => {
  const records = makePeople(2_000, 4, randomFrom(0));
  expect(records).toHaveLength(2_000);
  expect(new Set(records.map(({ id }) => id)).size).toBe(2_000);
  expect(new Set(records.map(({ source, person }) => `${source} ${person}`)).size).toBe(2_000);
  expect(new Set(records.map(({ source }) => source)).size).toBe(4);
  const share = (holds: (record: (typeof records)[number]) => boolean) => records.filter(holds).length / records.length;
  expect(share(({ name }) => name.includes(","))).toBeCloseTo(0.25, 1);
  expect(share(({ email }) => email === "")).toBeCloseTo(0.3, 1);
  const people = new Set(records.map(({ person }) => person)).size;
  expect(people).toBeGreaterThan(600);
  expect(people).toBeLessThan(900);
});

test("the same seed gives the same people, and more rows begin with the same ones", () => {
  expect(makePeople(50, 3, randomFrom(7))).toEqual(makePeople(50, 3, randomFrom(7)));
  expect(makePeople(50, 3, randomFrom(7))).not.toEqual(makePeople(50, 3, randomFrom(8)));
  const persons = (rows: number) => new Set(makePeople(rows, 3, randomFrom(7)).map(({ person }) => person));
  expect([...persons(20)].every((person) => persons(60).has(person))).toBe(true);
});
