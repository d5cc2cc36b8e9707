/**
 * What data, names and arguments hold never commands the terminal and never begins a line of its own; data on standard output and
 * in files stay exact.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvCell } from "@coterie/data";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linesOver } from "./terminal.js";
import { coterie, coterieWith, folderWith, type Printed, typed } from "./testing/console.js";
import { visible, visibleData, written } from "./text/visible.js";
import { widthOf, wrap } from "./text/width.js";

const RUNS = process.env.COTERIE_LONG === "1" ? 5_000 : 25;

/** What no text for people may hold, written out by hand. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u;

function expectHarmless(text: string): void {
  expect(OBEYED.exec(text)?.[0].codePointAt(0)?.toString(16)).toBeUndefined();
  expect(text).not.toMatch(/^\s*FORGED/m);
}

describe("lines for people", () => {
  test("hidden signs show as JSON writes them, on one line; letters of all scripts stay", () => {
    expect(visible("a\u001b[2J\r\n\t\u0000\u007f\u009b\u0085\u202e\u2066\u2028\u2029\ud800")).toBe(
      "a\\u001b[2J\\r\\n\\t\\u0000\\u007f\\u009b\\u0085\\u202e\\u2066\\u2028\\u2029\\ud800",
    );
    const kept = "größe 日本 اسم e\u0301 👩‍🚀 100 %";
    expect(visible(kept)).toBe(kept);
    expect(widthOf("\u001b")).toBe(6);
  });

  test("showing twice is showing once, and nothing that is obeyed is left", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (any, plain) => {
        const text = `${any}\ud83d${plain}`;
        expect(visible(visible(text))).toBe(visible(text));
        expect(visible(text)).not.toMatch(OBEYED);
        expect(visible(text)).not.toContain("\n");
        expect(wrap(text, 20).map(visible).join(" ")).toBe(visible(text).replace(/^ +/, ""));
      }),
    );
  });

  test("style is written around the text, only where there are colours", () => {
    const line = [{ style: "loud", text: "a\u001b[0m" } as const, " b  "];
    expect(written([line, "c\nd"], true)).toBe("\u001b[1;33ma\\u001b[0m\u001b[22;39m b\nc\\nd\n");
    expect(written([line], false)).toBe("a\\u001b[0m b\n");
  });

  test("data are exact, but on a screen their control characters show; JSON means the same there", async () => {
    const data = `${JSON.stringify({ id: "\u009b31m\u202ex\ud800\u001b" })}\nid,cluster\t\r\n`;
    const seen: string[] = [];
    for (const screen of [true, false]) {
      const io = linesOver({ out: async (text) => void seen.push(text), err: () => {}, screen, colours: false });
      await io.out(data);
    }
    const [shown, exact] = seen;
    expect(exact).toBe(data);
    expect(shown).toBe(visibleData(data));
    expect(shown!.split("\n")).toHaveLength(3);
    expect(JSON.parse(shown!.split("\n")[0]!)).toEqual(JSON.parse(data.split("\n")[0]!));
  });
});

const HOSTILE = [
  "\u001b[2J\u001b[H",
  "\u001b]0;title\u0007",
  "\nFORGED",
  "\r\nFORGED: done",
  "\rFORGED",
  "\u0085FORGED",
  "\u2028FORGED",
  "\u2029FORGED",
  "\u009b31m",
  "\u202e",
  "\u2066",
  "\u007f\b\b",
  "\u001bP1$r",
  "\t",
  "'; reboot; '",
  "$(reboot)",
  "plain",
  "日本",
  " ",
];
const hostile = fc.array(fc.constantFrom(...HOSTILE), { minLength: 1, maxLength: 4 }).map((parts) => `x${parts.join("")}`);
/** A name of a file: what any file system takes, and not too long. */
const fileName = hostile.map((text) => text.replaceAll("/", "").slice(0, 40));

interface Setting {
  readonly ids: readonly string[];
  readonly classes: readonly string[];
  readonly groups: readonly string[];
  readonly levels: readonly string[];
  readonly columns: readonly string[];
  readonly files: readonly string[];
}

const setting: fc.Arbitrary<Setting> = fc.record({
  ids: fc.uniqueArray(hostile, { minLength: 8, maxLength: 8, selector: (id) => id.trim() }),
  classes: fc.array(hostile, { minLength: 2, maxLength: 2 }),
  groups: fc.array(hostile, { minLength: 2, maxLength: 2 }),
  levels: fc.array(hostile, { minLength: 2, maxLength: 2 }),
  columns: fc.uniqueArray(hostile, { minLength: 6, maxLength: 6, selector: (name) => name.trim() }),
  files: fc.uniqueArray(fileName, { minLength: 4, maxLength: 4 }),
});

/** The setting on disk: a table, sets that hold, contradict each other and cannot hold, labels. */
function onDisk({ ids, classes, groups, levels, columns, files }: Setting) {
  const table = [
    columns,
    ...ids.map((id, i) => [
      id,
      classes[i % 2]!,
      groups[Math.floor(i / 4)]!,
      levels[i % 2]!,
      String(i),
      String((i % 2) * 10 + (i % 3)),
    ]),
  ];
  const [data, pairs, clash, labels] = files.map((name, i) => `${i}${name}.csv`);
  const link = (type: string, a: number, b: number) => [type, ids[a]!, ids[b]!];
  const apart = [0, 1, 2, 3].flatMap((a) => [1, 2, 3].filter((b) => b > a).map((b) => link("cannot-link", a, b)));
  const csv = (rows: readonly (readonly string[])[]) => `${rows.map((row) => row.map(csvCell).join(",")).join("\n")}\n`;
  const folder = folderWith({
    [data!]: csv(table),
    [pairs!]: csv([["type", "a", "b"], link("must-link", 0, 4), ...apart.slice(0, 2)]),
    [clash!]: csv([["type", "a", "b"], link("must-link", 0, 4), link("must-link", 4, 6), link("cannot-link", 0, 6), ...apart]),
    [labels!]: csv([["id", "cluster"], ...ids.map((id, i) => [id, classes[i % 2]!])]),
  });
  const at = (name: string | undefined) => join(folder, name!);
  return { folder, data: at(data), pairs: at(pairs), clash: at(clash), labels: at(labels) };
}

type Disk = ReturnType<typeof onDisk>;

/** Command lines for this setting; many of them are refused, with messages that are checked too. */
const LINES: readonly ((disk: Disk, names: Setting, word: string) => readonly string[])[] = [
  ({ data, pairs }, { columns: [id, truth, group] }) => [
    ...["cluster", data, "-k", "2", "-a", "ccl", "--id", id!, "--truth", truth!, "--exclusive", listed(group!), "-c", pairs],
  ],
  ({ data, clash, folder }, { columns: [id, , group] }, word) => [
    ...["cluster", data, "-k", "2", "-a", "pck-means", "--id", id!, "--ignore", listed(group!), "-c", clash],
    ...["--out", join(folder, `out ${word.replaceAll("/", "")}`.slice(0, 60))],
  ],
  ({ data, clash }, { columns: [id] }) => ["cluster", data, "-k", "2", "-a", "cop-kmeans", "--id", id!, "-c", clash],
  ({ data, pairs }, { columns: [id] }) => ["cluster", data, "-k", "2", "-a", "clusilc", "--id", id!, "-c", pairs],
  ({ data, pairs }, { columns: [id, truth, group, level] }) => [
    ...["cluster", data, "-k", "2", "-a", "mpck-means", "--id", id!, "-c", pairs],
    ...["--ignore", [truth, group, level].map((name) => listed(name!)).join(",")],
  ],
  ({ data, clash }, { columns: [id] }) => ["diagnose", data, "-k", "2", "--id", id!, "-c", clash],
  ({ pairs }) => ["diagnose", "-c", pairs, "-k", "2"],
  ({ clash }) => ["diagnose", "-c", clash],
  ({ data, labels }, { columns: [id] }) => ["explain", labels, "--data", data, "--id", id!],
  ({ data, labels, clash }, { columns: [id, truth] }) => [
    ...["evaluate", labels, "--data", data, "--id", id!, "--truth", truth!, "-c", clash],
  ],
  ({ data, pairs }, { columns: [id] }) => ["constraints", "close", data, "--id", id!, "-c", pairs, "--out", `${pairs}.closed`],
  ({ data, labels }, { columns: [id] }) => ["cluster", data, "-k", "2", "--id", id!, "-c", labels],
  ({ data }, _, word) => ["cluster", data, "-k", "2", "--id", word],
  ({ data }, _, word) => ["cluster", data, "-k", word],
  ({ data }, _, word) => ["cluster", data, "-a", word],
  ({ data }, _, word) => ["cluster", data, `--${word}`],
  ({ folder }, _, word) => ["cluster", join(folder, word.replaceAll("/", "")), "-k", "2"],
  (_, __, word) => [word],
  (_, __, word) => ["help", word],
  (_, __, word) => ["data", "show", word],
  ({ data }, _, word) => ["data", word, data],
  ({ labels }) => ["predict", labels, labels],
];

/** A name in a list: its commas are no ends. */
function listed(name: string): string {
  return name.replaceAll(",", "\\,");
}

const ORDERLY = [0, 2, 3, 4, 130];

test(`${RUNS} hostile tables, names and lines: nothing is obeyed, nothing is forged`, { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(setting, fc.constantFrom(...LINES), hostile, async (names, line, word) => {
      const { code, out, err } = await coterie(...line(onDisk(names), names, word));
      expect(err).not.toContain("this is a bug");
      expect(ORDERLY).toContain(code);
      expectHarmless(out);
      expectHarmless(err);
    }),
    { numRuns: RUNS },
  );
});

const SAMPLE: Setting = {
  ids: Array.from({ length: 8 }, (_, i) => `id${i}\u001b[2J\nFORGED`),
  classes: ["one\u009b\nFORGED", "two\u2028FORGED"],
  groups: ["shop\u001b]0;t\u0007\nFORGED", "fair\u202e"],
  levels: ["red\u001b[31m\nFORGED", "blue\u2029FORGED"],
  columns: ["id\u001b[0m", "class\nFORGED", "source\rFORGED", "colour\nFORGED", "a\u007f", "b\u2028FORGED"],
  files: ["t\u001b[2J\nFORGED", "c\u001b[2J\nFORGED", "d\u001b[2J\nFORGED", "l\u001b[2J\nFORGED"],
};

test("every kind of line, once: nothing is obeyed, nothing is forged", async () => {
  const codes: number[] = [];
  for (const line of LINES) {
    const { code, out, err } = await coterie(...line(onDisk(SAMPLE), SAMPLE, "w\u001b[2J\nFORGED"));
    expectHarmless(out);
    expectHarmless(err);
    codes.push(code);
  }
  expect(codes).toEqual([0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 2, 2, 2, 3, 2, 2, 3, 2, 3]);
});

test("labels and reports hold the ids as they are", async () => {
  const disk = onDisk(SAMPLE);
  const { data, clash, folder } = disk;
  const line = ["cluster", data, "-k", "2", "-a", "pck-means", "--id", SAMPLE.columns[0]!, "-c", clash];
  const labels = join(folder, "labels.csv");
  const { code, out } = await coterie(...line, "--json", "--out", labels, "--quiet");
  expect(code).toBe(0);
  const { violations } = JSON.parse(out);
  for (const id of [violations.mustLink, violations.cannotLink].flat(2)) expect(SAMPLE.ids).toContain(id);
  expect(violations.cannotLink.length).toBeGreaterThan(0);
  for (const id of SAMPLE.ids) expect(readFileSync(labels, "utf8")).toContain(csvCell(id));
  expect((await coterie(...line, "--quiet", "--out", "-")).out).toBe(readFileSync(labels, "utf8"));
});

test("a model that somebody else wrote", async () => {
  const { folder, data } = onDisk(SAMPLE);
  const model = join(folder, "m.json");
  const [id, truth, group, level] = SAMPLE.columns;
  const ignored = [truth, group, level].map((name) => listed(name!)).join(",");
  await coterie("cluster", data, "-k", "2", "--id", id!, "--ignore", ignored, "--model", model);
  const evil = "\u001b[2J\nFORGED";
  const written = JSON.parse(readFileSync(model, "utf8"));
  const spoilt = Object.keys(written).flatMap((key) => [
    { ...written, [key]: evil },
    { ...written, [key]: [evil] },
    { ...written, [key]: { [evil]: evil } },
  ]);
  const columns = written.columns.map((column: object) => ({ ...column, name: evil }));
  for (const each of [...spoilt, { ...written, columns }, { [evil]: 1 }]) {
    writeFileSync(model, JSON.stringify(each));
    const { code, err } = await coterie("predict", model, data, "--id", id!, "--out", join(folder, "placed.csv"));
    expect(ORDERLY).toContain(code);
    expectHarmless(err);
  }
});

describe("ask", () => {
  /** Control sequences that Coterie sends on purpose: styles, and erasing a question. */
  const own = (text: string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
    text.replace(/\u001b\[(?:1|22|2|4|24|1;33|22;39)m|\u001b\[\d+A\r\u001b\[J|\r\u001b\[K/g, "");

  const line = ({ data }: Disk, { columns: [id, , , level] }: Setting) => [
    ...["ask", data, "-k", "2", "--id", id!, "--budget", "4", "--show", listed(level!), "--answers", `${data}.log`],
  ];

  function expectHarmlessTalk({ code, err }: Printed): void {
    expect(ORDERLY).toContain(code);
    const text = own(err);
    expect(OBEYED.exec(text)?.[0].codePointAt(0)?.toString(16)).toBeUndefined();
    expect(text).not.toMatch(/^FORGED/m);
  }

  test("questions, answers, undo and what follows", async () => {
    for (const columns of [50, 60, 80, 120]) {
      const disk = onDisk(SAMPLE);
      const keys = typed("sxd\u001b[Au?lsq", true);
      const screen = { terminal: true, colours: true, columns, input: keys };
      const talked = await coterieWith(screen, ...line(disk, SAMPLE));
      expect(talked.err).toContain("id0\\u001b[2J\\nFORGED");
      expectHarmlessTalk(talked);
    }
  });

  test("fields of a log that somebody else wrote", async () => {
    const disk = onDisk(SAMPLE);
    await coterieWith({ input: typed("same\nstop\n") }, ...line(disk, SAMPLE));
    const log = `${disk.data}.log`;
    const [start, ...answers] = readFileSync(log, "utf8").split("\n");
    const evil = "\u001b[2J\nFORGED";
    for (const [key, value] of Object.entries({ strategy: evil, data: evil, version: evil, reading: { id: evil }, k: evil })) {
      writeFileSync(log, [JSON.stringify({ ...JSON.parse(start!), [key]: value }), ...answers].join("\n"));
      const printed = await coterieWith({ input: typed("stop\n") }, "ask", disk.data, "--resume", "--answers", log);
      expectHarmlessTalk(printed);
    }
  });

  test("the command that goes on is one that a shell reads as it was meant", async () => {
    const folder = folderWith({ "it's $(x)\n.csv": "a,b\n1,2\n2,1\n8,9\n9,8\n5,5\n" });
    const data = join(folder, "it's $(x)\n.csv");
    const { err } = await coterieWith({ input: typed("same\nstop\n") }, "ask", data, "-k", "2", "--budget", "3");
    expect(err).toContain(`Go on with: coterie ask $'${folder}/it\\'s $(x)\\n.csv' --resume`);
  });
});

test("flags in remedies can be taken as they stand, whatever a column is called", async () => {
  const folder = folderWith({
    "mixed.csv": '"size, in $(cm)",b\n1,2\nx,4\n',
    "names.csv": `it's a name,b\n${Array.from({ length: 9 }, (_, i) => `n${i},${i}`).join("\n")}\n`,
  });
  const mixed = await coterie("cluster", join(folder, "mixed.csv"), "-k", "1");
  expect(mixed.err).toContain("--nominal 'size\\, in $(cm)'), or leave it out (--ignore 'size\\, in $(cm)')");
  expect((await coterie("cluster", join(folder, "mixed.csv"), "-k", "1", "--ignore", "size\\, in $(cm)")).code).toBe(0);
  const names = await coterie("cluster", join(folder, "names.csv"), "-k", "2");
  expect(names.err.replaceAll("\n", " ")).toContain(`--id "it's a name"`);
});
