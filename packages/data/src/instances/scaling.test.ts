/** What `--scale auto` does to columns, and the scalings and transforms that somebody asks for. */
import { transform, unscale, withScaling } from "@coterie/core/internal";
import { describe, expect, test } from "vitest";
import { readCsv } from "../csv/csv.js";
import { bytesOf, sentenceOf } from "../testing/bytes.js";
import { type InstanceOptions, instancesOf, readingOf } from "./instances.js";

async function load(text: string, options: InstanceOptions = {}) {
  return instancesOf(await readCsv(bytesOf(text), { file: "t.csv", ...readingOf(options) }), options);
}

/** A table with one column for each list. */
function table(columns: Readonly<Record<string, readonly (number | string)[]>>): string {
  const lists = Object.values(columns);
  return `${Object.keys(columns).join(",")}\n${lists[0]!.map((_, i) => lists.map((list) => list[i]).join(",")).join("\n")}\n`;
}

const N = 60;
const even = Array.from({ length: N }, (_, i) => (i * 37) % N);
/** A long tail: most values are small, a few a thousand times as large. */
const tail = even.map((value) => Math.round(2 ** (value / 5)));
const outliers = even.map((value, i) => (i < 2 ? 1e6 * (i === 0 ? -1 : 1) : value));

describe("auto", () => {
  test("columns of several units get mean 0 and variance 1, in one notice", async () => {
    const { instances, notices } = await load(table({ metres: even, grams: even.map((value) => 1000 * ((value * 7) % N)) }));
    for (const j of [0, 1]) {
      const values = Array.from({ length: N }, (_, i) => instances.x[2 * i + j]!);
      expect(values.reduce((sum, value) => sum + value, 0) / N).toBeCloseTo(0, 12);
      expect(values.reduce((sum, value) => sum + value * value, 0) / N).toBeCloseTo(1, 12);
    }
    expect(notices).toEqual(["Columns are scaled to mean 0 and variance 1 (--scale none uses the numbers as given)."]);
    expect(instances.scaleGiven).toBeUndefined();
  });

  test("a long tail from 0 on is replaced by its logarithm, outliers by ranks; each is named with the way back", async () => {
    const { instances, notices } = await load(table({ tail, outliers, even }));
    expect(instances.scaling!.transforms!.map((each) => each?.kind ?? null)).toEqual(["log", "rank", null]);
    expect(notices.slice(1)).toEqual([
      'The logarithm of column "tail" is used, because a few values are far above the others (--transform tail=none prevents it).',
      'The ranks of column "outliers" are used, because a few values hold most of the variance (--transform outliers=none prevents it).',
    ]);
    for (let i = 0; i < N; i++) {
      expect(unscale(instances.scaling!, 0, instances.x[3 * i]!)).toBeCloseTo(tail[i]!, 6);
      expect(unscale(instances.scaling!, 1, instances.x[3 * i + 1]!)).toBeCloseTo(outliers[i]!, 6);
    }
    const back = await load(table({ tail, outliers, even }), { transforms: { tail: "none", outliers: "none" } });
    expect(back.instances.scaling!.transforms).toBeUndefined();
  });

  test("the logarithm does not depend on the unit", async () => {
    const cents = await load(table({ tail: tail.map((value) => 100 * value), even }));
    const whole = await load(table({ tail, even }));
    for (let i = 0; i < N; i++) expect(cents.instances.x[2 * i]).toBeCloseTo(whole.instances.x[2 * i]!, 9);
  });

  test("many columns of one unit, and vectors, stay as they are", async () => {
    const pixels = Object.fromEntries(Array.from({ length: 9 }, (_, j) => [`p${j}`, even.map((value) => (value * (j + 3)) % N)]));
    const { instances, notices } = await load(table(pixels));
    expect([instances.x[0], instances.scaling]).toEqual([pixels.p0![0], undefined]);
    expect(notices.join()).toContain("No column is scaled, because all 9 columns have values within 0 and 59");
    const vectors = await load(`v\n${even.map((value) => `"[${value}, 1]"`).join("\n")}\n`);
    expect([vectors.instances.scaling, vectors.notices.join()]).toEqual([undefined, expect.not.stringContaining("scaled")]);
  });

  test("texts, constants and missing cells do no harm", async () => {
    const holed = even.map((value, i) => (i % 10 === 0 ? "" : value));
    const { instances } = await load(table({ holed, same: even.map(() => 4), kind: even.map((value) => "abc"[value % 3]!) }));
    expect(instances.holes).toBe(true);
    expect(Number.isNaN(instances.x[0]!)).toBe(true);
    expect([instances.x[1], instances.x[4]]).toEqual([0, 0]);
    expect([...instances.holeFills!.slice(0, 2)].map((fill) => Math.abs(fill) < 1e-9)).toEqual([true, true]);
  });
});

describe("asked for", () => {
  test("robust divides by the quartiles, log and rank change all columns", async () => {
    const robust = await load(table({ outliers, even }), { scale: "robust" });
    expect(Math.abs(robust.instances.x[2 * 5]!)).toBeLessThan(3);
    expect(Math.abs(robust.instances.x[0]!)).toBeGreaterThan(1e4);
    const ranks = await load(table({ outliers, even }), { scale: "rank" });
    expect(ranks.instances.scaling!.transforms!.map((each) => each!.kind)).toEqual(["rank", "rank"]);
    const logs = await load(table({ tail, outliers }), { scale: "log" });
    expect(logs.notices.join()).toContain('Column "outliers" has values below 0, so no logarithm is taken there (--scale log).');
    expect(logs.instances.scaleGiven).toBe(true);
  });

  test("equal values share the middle of their ranks, and values between known ones lie between their ranks", async () => {
    const { instances } = await load(table({ x: [1, 1, 5, 9] }), { scale: "rank" });
    const by = instances.scaling!.transforms![0]!;
    expect([1, 5, 9].map((value) => transform(by, value))).toEqual([0.25, 0.625, 0.875]);
    expect(transform(by, 3)).toBeCloseTo((0.25 + 0.625) / 2, 12);
    expect([transform(by, -10), transform(by, 100)]).toEqual([0.25, 0.875]);
  });

  test("no logarithm below 0, with the ways out", async () => {
    expect(await sentenceOf(load(table({ outliers }), { transforms: { outliers: "log" } }))).toBe(
      't.csv: Column "outliers" has values below 0 (-1000000), which have no logarithm. Use ranks (--transform outliers=rank) or neither (--transform outliers=none).',
    );
    expect(await sentenceOf(load(table({ even }), { transforms: { even: "root" as "log" } }))).toContain("COL=log|rank|none");
  });

  test("another scaling of the same points, and back, changes nothing", async () => {
    const { instances } = await load(table({ tail, even }));
    const plain = withScaling(instances, null);
    for (let i = 0; i < N; i++)
      expect([plain.x[2 * i], plain.x[2 * i + 1]]).toEqual([expect.closeTo(tail[i]!, 6), expect.closeTo(even[i]!, 9)]);
    const again = withScaling(plain, instances.scaling!);
    again.x.forEach((value, p) => expect(value).toBeCloseTo(instances.x[p]!, 9));
  });
});
