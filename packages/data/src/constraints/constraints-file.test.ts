import type { ConstraintSet } from "@coterie/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, sentenceOf, utf16 } from "../testing/bytes.js";
import { mergeConstraintSets, readConstraints, readConstraintsAlone, writeConstraints } from "./constraints-file.js";
import type { NamedRows } from "./row-names.js";

const five: NamedRows = { n: 5 };
const named: NamedRows = { n: 4, ids: ["ann", "bob", "c,d", "eve"], rows: Int32Array.of(0, 1, 2, 4), total: 5, dropped: ["dan"] };

const read = (text: string | Uint8Array, rows = five, size?: number) =>
  readConstraints(bytesOf(text, size), { file: "k.csv", rows });
const failure = (text: string, rows = five) => sentenceOf(read(text, rows));

/** A set as ordinary arrays. */
function plain({ n, mustLinks, cannotLinks, relative, labels }: ConstraintSet) {
  const rows = (...columns: ArrayLike<number>[]) => Array.from(columns[0]!, (_, s) => columns.map((column) => column[s]!));
  return {
    n,
    mustLinks: rows(mustLinks.a, mustLinks.b, mustLinks.weight),
    cannotLinks: rows(cannotLinks.a, cannotLinks.b, cannotLinks.weight),
    relative: rows(relative.a, relative.b, relative.c, relative.weight),
    labels: Array.from(labels.row, (row, s) => [row, labels.names[labels.code[s]!], labels.weight[s]]),
  };
}

test("many constraints are read in turns of the event loop, between which a signal ends the reading", async () => {
  const lines = Array.from({ length: 100_000 }, (_, i) => `must-link,${i},${i + 1}`).join("\n");
  const controller = new AbortController();
  let named = 0;
  const rows: NamedRows = {
    n: 100_001,
    // Called for each row that is named.
    get ids() {
      named++;
      return undefined as never;
    },
  };
  setImmediate(() => setImmediate(() => controller.abort()));
  const reading = readConstraints(bytesOf(`type,a,b\n${lines}\n`), { file: "k.csv", rows, signal: controller.signal });
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  expect(named).toBeGreaterThan(0);
});

const none = { mustLinks: [], cannotLinks: [], relative: [], labels: [] };

describe("formats", () => {
  const expected = {
    n: 5,
    mustLinks: [[0, 1, 1]],
    cannotLinks: [[1, 2, 2.5]],
    relative: [[0, 1, 4, Infinity]],
    labels: [[3, "A", 1]],
  };

  test("CSV, rows short or whole, columns in any order", async () => {
    const text = "type,a,b,c,weight\nmust-link,0,1\ncannot-link,1,2,,2.5\nrelative,0,1,4,inf\nlabel,3,A\n";
    for (const size of [1, 1000]) expect(plain((await read(text, five, size)).set)).toEqual(expected);
    const turned = "weight,b,a,type,c\n,1,0,must-link,\n2.5,2,1,cannot-link,\nInf,1,0,relative,4\n1,A,3,label,\n";
    expect(plain((await read(turned)).set)).toEqual(expected);
    expect(plain((await read(utf16(text, true, true))).set)).toEqual(expected);
  });

  test("JSON lines, ids as numbers or texts", async () => {
    const text = `{"type":"must-link","a":0,"b":"1"}
{"type":"cannot-link","a":1,"b":2,"c":null,"weight":2.5}

{"type":"relative","a":0,"b":1,"c":4,"weight":"inf"}
{"type":"label","a":3,"b":"A"}`;
    expect(plain((await read(text)).set)).toEqual(expected);
  });

  test("ids that a double cannot hold keep their digits", async () => {
    const wide = { n: 3, ids: ["12345678901234567890", "12345678901234567891", "1.0"] };
    const json =
      '{"type":"cannot-link","a":12345678901234567890,"b":12345678901234567891}\n{"type":"must-link","a":1.0,"b":12345678901234567891}';
    expect(plain((await read(json, wide)).set)).toMatchObject({ mustLinks: [[2, 1, 1]], cannotLinks: [[0, 1, 1]] });
    const alone = await readConstraintsAlone([
      { file: "k.txt", chunks: bytesOf("90071992547409931\t90071992547409932\t-1\n007\t7\t1\n") },
    ]);
    expect(alone.ids).toEqual(["90071992547409931", "90071992547409932", "7"]);
    expect(alone.notices).toEqual(["k.txt, line 2: 1 must-link of a row with itself ignored."]);
  });

  test("the older tools' lines: row numbers even where there are ids", async () => {
    expect(plain((await read("0\t1\t1\n\n 1  2 -1\n0 4 +1\n")).set)).toMatchObject({
      mustLinks: [
        [0, 1, 1],
        [0, 4, 1],
      ],
      cannotLinks: [[1, 2, 1]],
    });
    expect(plain((await read("4\t0\t1\n", named)).set)).toMatchObject({ mustLinks: [[3, 0, 1]] });
  });

  test("ids with separators, ids of kept rows after a drop", async () => {
    const { set } = await read('type,a,b\nmust-link,"c,d",eve\nlabel,bob,NA\n', named);
    expect(plain(set)).toEqual({ ...none, n: 4, mustLinks: [[2, 3, 1]], labels: [[1, "NA", 1]] });
    const dropped = { n: 2, ids: [0, 3], rows: Int32Array.of(0, 3), total: 4, dropped: [1, 2] };
    expect(plain((await read("type,a,b\nmust-link,0,3\n", dropped)).set)).toMatchObject({ mustLinks: [[0, 1, 1]] });
  });

  test("a header alone is an empty set; groups come from the rows", async () => {
    const exclusive = [{ column: "f", codes: Int32Array.of(0, 0, -1, -1, -1), names: ["x"] }];
    const { set, notices } = await readConstraints(bytesOf("type,a,b\n"), { file: "k.csv", rows: { ...five, exclusive } });
    expect(plain(set)).toEqual({ n: 5, ...none });
    expect(set.exclusive).toEqual(exclusive);
    expect(notices).toEqual([]);
  });
});

test("duplicates once with the largest weight, in one warning; constraints that say nothing are dropped with one", async () => {
  const { set, notices } = await read(
    "type,a,b,c,weight\nmust-link,0,1,,2\nmust-link,1,0,,5\nmust-link,0,1,,1\ncannot-link,0,1\nrelative,2,3,4\nrelative,3,2,4,7\nrelative,3,2,1\nmust-link,2,2\nrelative,3,3,1\nlabel,0,A\nlabel,0,A,,3\n",
  );
  expect(plain(set)).toEqual({
    n: 5,
    mustLinks: [[0, 1, 5]],
    cannotLinks: [[0, 1, 1]],
    relative: [
      [2, 3, 4, 7],
      [3, 2, 1, 1],
    ],
    labels: [[0, "A", 3]],
  });
  expect(notices).toEqual([
    "k.csv, line 9: 1 must-link of a row with itself ignored.",
    "k.csv, line 10: 1 relative constraint with a = b dropped.",
    "k.csv, line 3: 4 duplicate constraints left out; each is kept once, with its largest weight.",
  ]);
});

describe("bad input", () => {
  const head = "type,a,b,c,weight\n";
  test.each([
    ["", "k.csv: The file is empty. A table needs a header row and data rows."],
    [
      "a,b\n1,2\n",
      'k.csv, line 1: The file has no column "type". A constraint file begins with the header type,a,b,c,weight (c and weight are optional).',
    ],
    [
      "type,a,b,wieght\n",
      'k.csv, line 1: The file has a column "wieght", which constraints do not have. Did you mean "weight"? The columns are type, a, b, c and weight.',
    ],
    [
      `${head}mustlink,0,1\n`,
      'k.csv, line 2: "mustlink" is not a type of constraint. Did you mean "must-link"? The types are must-link, cannot-link, relative, label.',
    ],
    [`${head},0,1\n`, "k.csv, line 2: The constraint has no type. The types are must-link, cannot-link, relative, label."],
    [`${head}must-link,0\n`, "k.csv, line 2: The must-link has no b. Write must-link,a,b."],
    [`${head}label,0\n`, "k.csv, line 2: The label has no class (in b). Write label,a,CLASS."],
    [
      `${head}relative,0,1\n`,
      "k.csv, line 2: The relative has no c. Write relative,a,b,c: a and b are closer to each other than either is to c.",
    ],
    [
      `${head}must-link,0,1,2\n`,
      'k.csv, line 2: The must-link has a third value, "2", in c. Only relative constraints have c; the weight is the column behind it.',
    ],
    [`${head}must-link,0,5\n`, "k.csv, line 2: There is no row 5. Rows are numbered from 0 to 4."],
    [
      `${head}must-link,0,ann\n`,
      'k.csv, line 2: "ann" is not a row number. Rows are numbered from 0 to 4; if the table has a column of ids, name it with --id.',
    ],
    [`${head}cannot-link,2,2\n`, 'k.csv, line 2: The cannot-link parts "2" from itself. Name two different rows.'],
    [
      `${head}relative,2,3,2\n`,
      'k.csv, line 2: The relative constraint has "2" both inside and outside of its pair. c must differ from a and b.',
    ],
    [`${head}label,0,A\nlabel,0,B\n`, 'k.csv, line 3: Row "0" is labelled "B", but "A" earlier. Keep one of the two labels.'],
    [`${head}must-link,0,1,,0\n`, 'k.csv, line 2: The weight is "0". Weights are numbers above 0, or inf.'],
    [`${head}must-link,0,1,,nan\n`, 'k.csv, line 2: The weight is "nan". Weights are numbers above 0, or inf.'],
    [
      "0 1 1\n0 2 2\n",
      'k.csv, line 2: The line is not "row row 1" or "row row -1": "0 2 2". Correct it, or write the file with the header type,a,b,c,weight.',
    ],
    [
      '{"type":"must-link","a":0,"b":1,"d":2}\n',
      'k.csv, line 1: Constraints have no key "d". The keys are type, a, b, c and weight.',
    ],
    [
      '{"type":"must-link","a":0,"b":[1]}\n',
      'k.csv, line 1: The key "b" holds neither a text nor a number. Give an id, a class or a weight.',
    ],
  ])("%j", async (text, sentence) => {
    expect(await failure(text)).toBe(sentence);
  });

  test("unknown ids and dropped rows", async () => {
    expect(await failure("type,a,b\nmust-link,ann,bbo\n", named)).toBe(
      'k.csv, line 2: No row has the id "bbo". Did you mean "bob"? Ids are ann, bob, c,d, eve.',
    );
    const why =
      "was dropped, because it has missing cells (--missing drop). Remove the constraint, or fill the cells (--missing impute).";
    expect(await failure("type,a,b\nmust-link,ann,dan\n", named)).toBe(`k.csv, line 2: Row "dan" ${why}`);
    expect(await failure("0 3 1\n", named)).toBe(`k.csv, line 1: Row "3" ${why}`);
  });
});

describe("writing and merging", () => {
  const row = fc.integer({ min: 0, max: 3 });
  const weight = fc.constantFrom(1, 0.25, 1e-7, Infinity);
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom("must-link", "cannot-link"), row, row, weight)
      .filter(([, a, b]) => a !== b)
      .map(([type, a, b, w]) => [type, a, b, "", w]),
    fc
      .tuple(row, row, row, weight)
      .filter(([a, b, c]) => a !== b && a !== c && b !== c)
      .map(([a, b, c, w]) => ["relative", a, b, c, w]),
    fc.tuple(row, weight).map(([a, w]) => ["label", a, `class ${a}`, "", w]),
  );

  test("what is written is read back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        const ids = ["ann", 'b"ob', "c,d", " eve\n"];
        const text = `type,a,b,c,weight\n${lines.map((cells) => `${cells.join(",")}\n`).join("")}`;
        const { set } = await read(text, { n: 4 });
        const written = [...writeConstraints(set, ids)].join("");
        expect(plain((await read(written, { n: 4, ids })).set)).toEqual(plain(set));
        expect(plain(mergeConstraintSets([set, set], { n: 4 }).set)).toEqual(plain(set));
      }),
      { numRuns: 100 },
    );
  });

  test("two files say the same", async () => {
    const one = (await read("type,a,b,c,weight\nmust-link,0,1\nlabel,2,A\n")).set;
    const two = (await read("type,a,b,c,weight\nmust-link,1,0,,3\nlabel,3,B\n")).set;
    const { set, notices } = mergeConstraintSets([one, two], five);
    expect(plain(set)).toEqual({
      ...none,
      n: 5,
      mustLinks: [[0, 1, 3]],
      labels: [
        [2, "A", 1],
        [3, "B", 1],
      ],
    });
    expect(notices).toEqual([
      "The constraint files together: 1 duplicate constraint left out; each is kept once, with its largest weight.",
    ]);
    const three = (await read("type,a,b\nlabel,2,B\n")).set;
    expect(await sentenceOf(() => mergeConstraintSets([one, three], five))).toBe(
      'The constraint files together: Row "2" is labelled "B", but "A" earlier. Keep one of the two labels.',
    );
  });

  test("a million lines are written in pieces", () => {
    const many = 1_000_000;
    const a = Int32Array.from({ length: many }, (_, i) => i);
    const empty = new Int32Array(0);
    const weightless = new Float64Array(0);
    const set: ConstraintSet = {
      n: many + 1,
      mustLinks: { a, b: a.map((i) => i + 1), weight: new Float64Array(many).fill(1) },
      cannotLinks: { a: empty, b: empty, weight: weightless },
      relative: { a: empty, b: empty, c: empty, weight: weightless },
      labels: { row: empty, code: empty, weight: weightless, names: [] },
      exclusive: [],
    };
    let lines = 0;
    let longest = 0;
    for (const piece of writeConstraints(set)) {
      lines += piece.split("\n").length - 1;
      longest = Math.max(longest, piece.length);
    }
    expect(lines).toBe(many + 1);
    expect(longest).toBeLessThan(70_000);
  });
});
