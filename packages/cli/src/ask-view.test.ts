import { type Instances, pointsFromRows, type Question } from "@coterie/core/internal";
import { ODD_KEYS, ODD_WORD, QUESTION_KEYS } from "@coterie/workbench";
import { describe, expect, test } from "vitest";
import { actionOfKey, actionOfLine, helpLines, keysIn, wrongKey } from "./ask/keys.js";
import { featureColumns, type ShownColumn } from "./ask/shown-columns.js";
import { questionLines, type Screen } from "./ask/talk.js";
import { visible, written } from "./text/visible.js";
import { fitted, folded, padded, widthOf } from "./text/width.js";

const FLOWERS: Instances = {
  ...pointsFromRows(
    [
      [5.1, 3.5, 1.4, 0],
      [7.9, 3.4, 6.4, 1],
      [4.3, 2, 1, 0],
      [7, 4.4, 6.9, 1],
    ],
    ["sepal length", "sepal width", "petal length", "colour"],
  ),
  nominal: Uint8Array.of(0, 0, 0, 1),
  levels: [null, null, null, ["pale blue", "red"]],
  ids: ["first", "second", "third", "fourth"],
};
const PAIR: Question = { kind: "pair", ask: [0, 1] };
const TRIPLET: Question = { kind: "triplet", ask: [0, 1, 2] };
const WIDE: Screen = { columns: 80, lines: 24, colours: false };

function view(
  question: Question,
  screen: Partial<Screen> = {},
  columns: readonly ShownColumn[] = featureColumns(FLOWERS),
): string {
  const wide = { ...WIDE, ...screen };
  return written(questionLines({ question, instances: FLOWERS, columns, number: 5, budget: 40 }, wide), wide.colours).trimEnd();
}

test("two rows side by side, the widest gaps marked", () => {
  expect(view(PAIR)).toMatchInlineSnapshot(`
    "Question 5 of 40 · 36 left

                      first      second
      * sepal length  5.1        7.9        ▪▪▪▪▪▪
        sepal width   3.5        3.4
      * petal length  1.4        6.4        ▪▪▪▪▪▪▪
      * colour        pale blue  red        ▪▪▪▪▪▪▪▪

    Do these two belong together?
    s same · d different · k don't know · u undo · ? help · q stop"
  `);
});

test("one below the other in a narrow window", () => {
  expect(view(PAIR, { columns: 40 })).toMatchInlineSnapshot(`
    "Question 5 of 40 · 36 left

    first
    * sepal length  5.1
      sepal width   3.5
    * petal length  1.4
    * colour        pale blue
    second
    * sepal length  7.9
      sepal width   3.4
    * petal length  6.4
    * colour        red

    Do these two belong together?
    s same · d different · k don't know
    u undo · ? help · q stop"
  `);
});

test("three rows, side by side and stacked", () => {
  expect(view(TRIPLET)).toMatchInlineSnapshot(`
    "Question 5 of 40 · 36 left

                      a: first   b: second  c: third
      * sepal length  5.1        7.9        4.3        ▪▪▪▪▪▪▪▪
      * sepal width   3.5        3.4          2        ▪▪▪▪▪
      * petal length  1.4        6.4          1        ▪▪▪▪▪▪▪
      * colour        pale blue  red        pale blue  ▪▪▪▪▪▪▪▪

    Which of the three is the odd one out, least like the other two?
    a b c the odd one · k don't know · u undo · ? help · q stop"
  `);
  expect(view(TRIPLET, { columns: 44, lines: 40 })).toMatchInlineSnapshot(`
    "Question 5 of 40 · 36 left

    a: first
    * sepal length  5.1
    * sepal width   3.5
    * petal length  1.4
    * colour        pale blue
    b: second
    * sepal length  7.9
    * sepal width   3.4
    * petal length  6.4
    * colour        red
    c: third
    * sepal length  4.3
    * sepal width     2
    * petal length    1
    * colour        pale blue

    Which of the three is the odd one out,
    least like the other two?
    a b c the odd one · k don't know · u undo
    ? help · q stop"
  `);
});

test("no line is wider than the window, whatever its width, and colours take no room", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are such characters.
  const bare = (text: string) => text.replace(/\u001b\[[0-9;]*m/g, "");
  const long: ShownColumn = {
    name: "a name that is rather long for a column",
    text: () => "日本語のとても長い文".repeat(9),
    isNumber: false,
    apart: null,
  };
  for (const question of [PAIR, TRIPLET])
    for (let columns = 30; columns <= 120; columns += 7) {
      const shown = [long, ...featureColumns(FLOWERS)];
      const coloured = view(question, { columns, colours: true }, shown);
      expect(coloured).toContain("\u001b[1;33m");
      for (const text of [view(question, { columns }, shown), bare(coloured)])
        for (const line of text.split("\n")) expect(widthOf(line)).toBeLessThan(columns);
      expect(view(question, { columns }, shown)).not.toContain("\u001b");
    }
});

const PEOPLE: Instances & { filledRows: Int32Array[] } = {
  ...pointsFromRows(
    [
      [0, 26945.1, 1952, 0],
      [0, 38000, 12, 1],
      [1, 39255.4, 4702, 1],
    ],
    ["email", "revenue", "visits", "comment"],
  ),
  nominal: Uint8Array.of(1, 0, 0, 1),
  levels: [
    ["olga.schmidt@example-company.org", "ann@example.org"],
    null,
    null,
    ["Called twice about the late delivery and was promised a voucher, which never came", "ok"],
  ],
  ids: ["C-2024-00035", "C-2024-00048", "C-2024-00004"],
  filledRows: [Int32Array.of(0, 1), Int32Array.of(1), Int32Array.of(), Int32Array.of()],
};

function people(ask: [number, number], screen: Partial<Screen> = {}): string {
  const view = {
    question: { kind: "pair", ask } as const,
    instances: PEOPLE,
    columns: featureColumns(PEOPLE),
    number: 1,
    budget: 9,
  };
  return written(questionLines(view, { ...WIDE, ...screen }), false);
}

test("a cell that was filled in is a dash and has no bar; numbers end below each other", () => {
  expect(people([0, 1])).toMatchInlineSnapshot(`
    "Question 1 of 9 · 9 left

                 C-2024-00035                 C-2024-00048
        email    –                            –
        revenue  26945.1                            –
        visits      1952                           12                      ▪▪▪
      * comment  Called twice about the late  ok                           ▪▪▪▪▪▪▪▪
                 delivery and was promised a
                 voucher, which never came

    Do these two belong together?
    s same · d different · k don't know · u undo · ? help · q stop
    "
  `);
  expect(people([1, 2])).toMatch(/^ +email +– +ann@example.org$/m);
});

test("nothing is cut at 60 columns, nor at any width, as long as there are lines for it", () => {
  const words = "olga.schmidt@example-company.org Called twice about the late delivery C-2024-00035 26945.1 revenue";
  for (let columns = 40; columns <= 130; columns++) {
    const text = people([0, 2], { columns, lines: 60 });
    expect(text).not.toContain("…");
    if (columns >= 76) for (const word of words.split(" ").slice(1)) expect(text).toContain(word);
    for (const line of text.split("\n")) expect(widthOf(line)).toBeLessThan(columns);
  }
  expect(people([0, 1], { columns: 60 })).not.toContain("…");
});

test("texts to read are cut only where the window has no lines for them, and the question always fits into it", () => {
  const long: ShownColumn = { name: "text", isNumber: false, apart: null, text: () => "so it goes on and on ".repeat(60) };
  for (const lines of [24, 30, 50]) {
    const shown = view(PAIR, { columns: 60, lines }, [long, ...featureColumns(FLOWERS)]).split("\n");
    expect(shown.length).toBeLessThanOrEqual(lines - 3);
    expect(shown.join("\n")).toContain("…");
    expect(shown.join("\n")).toContain("colour");
  }
});

test("of many columns those that differ most are shown, in their order, and the rest is counted", () => {
  const columns = Array.from(
    { length: 300 },
    (_, j): ShownColumn => ({
      name: `c${j}`,
      text: (row) => String(row * j),
      isNumber: true,
      apart: () => ((j * 37) % 300) / 300,
    }),
  );
  const text = view(PAIR, { lines: 20 }, columns);
  const shown = [...text.matchAll(/^[* ]+c(\d+) /gm)].map(([, j]) => Number(j));
  const most = [...columns.keys()].sort((a, b) => ((b * 37) % 300) - ((a * 37) % 300)).slice(0, 9);
  expect(shown).toEqual(most.sort((a, b) => a - b));
  expect(text).toContain("and 291 more columns that differ less");
  expect(text.split("\n").length).toBeLessThanOrEqual(20);
});

test("scaled columns are shown in the units of the file; a gap is a share of the column's range", () => {
  const scaled: Instances = { ...pointsFromRows([[-1], [0], [3]], ["x"]), scaling: { offset: [5.1], factor: [0.1] } };
  const [column] = featureColumns(scaled);
  expect([0, 1, 2].map(column!.text)).toEqual(["5", "5.1", "5.4"]);
  expect(column!.apart!([0, 1])).toBe(0.25);
});

test("rows that are known by their distances alone show them", () => {
  const instances: Instances = { n: 3, d: 0, x: new Float64Array(0), names: [], distances: Float64Array.of(1, 2.5, 4) };
  const lines = (question: Question) =>
    questionLines({ question, instances, columns: [], number: 1, budget: 1 }, WIDE).join("\n");
  expect(lines({ kind: "pair", ask: [2, 1] })).toContain("Their distance is 4.");
  expect(lines({ kind: "triplet", ask: [0, 1, 2] })).toContain("Distances: a–b 1, a–c 2.5, b–c 4.");
});

describe("text", () => {
  test("what a file holds cannot command the terminal", () => {
    expect(visible("a\u001b[2Jb\r\nc\u0007\u009bd\u202ee")).toBe("a\\u001b[2Jb\\r\\nc\\u0007\\u009bd\\u202ee");
  });

  test("signs of two places count as two, marks on them as none", () => {
    expect([widthOf("日本"), widthOf("e\u0301"), widthOf("aé…")]).toEqual([4, 1, 3]);
    expect([fitted("日本語", 5), fitted("abc", 3), fitted("abcd", 3)]).toEqual(["日本…", "abc", "ab…"]);
    expect([padded("日", 4), padded("7", 3, "start")]).toEqual(["日  ", "  7"]);
  });

  test("a text to read goes over a few lines, between words where it can", () => {
    expect(folded("one two three four five six", 9, 3)).toEqual(["one two", "three", "four fiv…"]);
    expect(folded("abcdefghijkl", 5, 3)).toEqual(["abcde", "fghij", "kl"]);
    expect(folded("short", 9, 3)).toEqual(["short"]);
    expect(folded("日本語日本語", 5, 2)).toEqual(["日本", "語日…"]);
  });
});

test("keys: letters in either case, undo by backspace, arrows are none", () => {
  const keys = keysIn("s\u001b[A\u001bOBd\u001b[15~?\u001b");
  expect(keys).toEqual(["s", "\u001b[A", "\u001bOB", "d", "\u001b[15~", "?", "\u001b"]);
  expect(keys.map((key) => actionOfKey(key, PAIR))).toEqual([
    ...["same", undefined, undefined, "different", undefined, "help", undefined],
  ]);
  const meanings = [..."sSyYdDnNkK?lLuU\u001a\u007f\bqQ\u0003\u0004x1z"].map((key) => actionOfKey(key, PAIR));
  expect(meanings).toEqual([
    ...[
      "same",
      "same",
      "same",
      "same",
      "different",
      "different",
      "different",
      "different",
      "unsure",
      "unsure",
      "help",
      "clusters",
      "clusters",
      "undo",
      "undo",
      "undo",
      "undo",
      "undo",
      "stop",
      "stop",
    ],
    ...["interrupt", "stop", undefined, undefined, undefined],
  ]);
  expect([..."abc123sk?"].map((key) => actionOfKey(key, TRIPLET))).toEqual([
    ...["a", "b", "c", "a", "b", "c", undefined, "unsure", "help"],
  ]);
});

test("the hints and the help name every key of the one map, with its word", () => {
  for (const [question, odd] of [
    [PAIR, []],
    [TRIPLET, [`${ODD_KEYS.join(" ")} ${ODD_WORD}`]],
  ] as const) {
    const { same, different, ...shared } = QUESTION_KEYS;
    const shown = Object.values(question === PAIR ? QUESTION_KEYS : shared);
    for (const hint of [...shown.map(({ key, word }) => `${key} ${word}`), ...odd]) expect(view(question)).toContain(hint);
    for (const [action, { key }] of Object.entries(question === PAIR ? QUESTION_KEYS : shared))
      expect(actionOfKey(key, question)).toBe(action);
  }
  for (const { key, word, does } of Object.values(QUESTION_KEYS))
    expect(helpLines()).toContain(`${key.padEnd(5)}  ${word}: ${does}`);
});

test("keys that mean nothing are named where they have a name", () => {
  expect(["x", "ß", "👍", "\r", " ", "\u001b", "\u001b[A", "\u0001", "\u202e"].map(wrongKey)).toEqual([
    '"x" is none of these keys.',
    '"ß" is none of these keys.',
    '"👍" is none of these keys.',
    "Enter is none of these keys.",
    "The space bar is none of these keys.",
    "Esc is none of these keys.",
    "That key is none of these keys.",
    "That key is none of these keys.",
    "That key is none of these keys.",
  ]);
});

test("lines: don't know may be written as people write it; other words are none", () => {
  const written = ["don't know", "Don’t know", "dont know", "dont-know", "don't-know", "cannot-link", "STOP "];
  expect(written.map((text) => actionOfLine(text, 1, PAIR))).toEqual([...Array(5).fill("unsure"), "different", "stop"]);
  expect(() => actionOfLine("cannot link", 4, PAIR)).toThrow(/standard input, line 4: "cannot link" is no answer/);
});
