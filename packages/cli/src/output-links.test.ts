/** Names that lead to what is read, or twice to one file: through links of every kind. Nothing that is read is ever written over. */
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const RUNS = process.env.COTERIE_LONG === "1" ? 2_000 : 60;
const TABLE = "id,x\na,0\nb,1\nc,9\nd,10\n";
const KNOWN = "type,a,b\nmust-link,a,b\n";

/** Everything in a folder: what files hold, where links lead. */
function contents(folder: string, under = ""): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(join(folder, under)).map((name) => {
      const path = join(under, name);
      const info = lstatSync(join(folder, path));
      if (info.isDirectory()) return contents(folder, path);
      return {
        [path]: info.isSymbolicLink() ? `-> ${readlinkSync(join(folder, path))}` : readFileSync(join(folder, path), "utf8"),
      };
    }),
  );
}

function setting(files: Record<string, string> = {}) {
  const folder = folderWith({ "data.csv": TABLE, "known.csv": KNOWN, ...files });
  const at = (name: string) => join(folder, name);
  const refused = async (words: string, ...args: string[]) => {
    const before = contents(folder);
    const { code, out, err } = await coterie(...args);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(words)]);
    expect(contents(folder)).toEqual(before);
  };
  return { folder, at, refused };
}

const READ = "which is an input and would be overwritten: write to another file.";

describe("what is read is not written over", () => {
  test.each([
    { what: "a link", links: { "link.csv": "data.csv" }, name: "link.csv" },
    { what: "a link with a whole path", links: { "link.csv": "FOLDER/data.csv" }, name: "link.csv" },
    { what: "a link to a link", links: { one: "data.csv", two: "one" }, name: "two" },
    { what: "a second name of the file", links: {}, name: "hard.csv" },
    { what: "a folder behind a link", links: { here: "." }, name: "here/data.csv" },
    { what: "a way out of a folder behind a link", links: { deep: "in/deep" }, name: "deep/../../data.csv" },
  ])("$what", async ({ links, name }) => {
    const { folder, at, refused } = setting();
    mkdirSync(at("in/deep"), { recursive: true });
    linkSync(at("data.csv"), at("hard.csv"));
    for (const [made, to] of Object.entries(links)) symlinkSync(to.replace("FOLDER", folder), at(made));
    const link = `${folder}/${name}`;
    const line = ["cluster", at("data.csv"), "-k", "2", "--id", "id"];
    for (const flag of ["--out", "--report", "--html", "--model"]) await refused(READ, ...line, flag, link);
    await refused(READ, ...line, "--algorithm", "ward", "--newick", link);
    await refused(READ, ...line, "--algorithm", "ward", "--nested", link);
    await refused(READ, "diagnose", at("data.csv"), "--id", "id", "--constraints", at("known.csv"), "--html", link);
    await refused(READ, "constraints", "close", at("data.csv"), "--id", "id", "--constraints", at("known.csv"), "--out", link);
    await refused(READ, "constraints", "from-tree", "--data", at("data.csv"), "--truth", "id", "--out", link);
    await refused(READ, "ask", at("data.csv"), "-k", "2", "--id", "id", "--constraints-out", link);
    await refused(READ, "ask", at("data.csv"), "-k", "2", "--id", "id", "--answers", link);
    // Read by the link, written by the name.
    await refused(READ, "cluster", link, "-k", "2", "--id", "id", "--out", at("data.csv"));
  });

  test("files of constraints, distances, centres, labels, trees and models", async () => {
    const { at, refused } = setting({
      "m.csv": "a,b,c,d\n0,1,9,9\n1,0,9,9\n9,9,0,1\n9,9,1,0\n",
      "centres.csv": "x\n0\n9\n",
      "labels.csv": "id,cluster\na,0\nb,0\nc,1\nd,1\n",
      "tree.nwk": "((a,b),(c,d));",
    });
    for (const name of ["known.csv", "m.csv", "centres.csv", "labels.csv", "tree.nwk", "model.json"])
      symlinkSync(name, at(`to-${name}`));
    const line = ["cluster", at("data.csv"), "-k", "2", "--id", "id"];
    expect((await coterie(...line, "--model", at("model.json"), "--quiet")).code).toBe(0);
    await refused(READ, ...line, "--constraints", at("known.csv"), "--out", at("to-known.csv"));
    await refused(READ, ...line, "--init", at("centres.csv"), "--report", at("to-centres.csv"));
    await refused(READ, "cluster", "--distances", at("m.csv"), "-k", "2", "--algorithm", "ccl", "--out", at("to-m.csv"));
    await refused(READ, "predict", at("model.json"), at("data.csv"), "--id", "id", "--out", at("to-model.json"));
    await refused(READ, "predict", at("model.json"), at("data.csv"), "--id", "id", "--centre-distances", at("to-model.json"));
    await refused(READ, "explain", at("labels.csv"), "--data", at("data.csv"), "--id", "id", "--html", at("to-labels.csv"));
    await refused(READ, "constraints", "from-tree", at("tree.nwk"), "--out", at("to-tree.nwk"));
    await refused("is an input and would be overwritten", "constraints", "from-tree", at("tree.nwk"), "--out", at("tree.nwk"));
    const close = ["constraints", "close", at("data.csv"), "--id", "id", "--constraints"];
    await refused(READ, ...close, at("known.csv"), "--out", at("to-known.csv"));
    // By its own name a set may take the place of the one that it was made from.
    expect((await coterie(...close, at("known.csv"), "--out", at("known.csv"))).code).toBe(0);
    expect(readFileSync(at("known.csv"), "utf8")).toContain("must-link,a,b");
  });

  test("a file that its side file would take the place of", async () => {
    const { at, refused } = setting({ "labels.csv.source.json": TABLE, "other.json": TABLE });
    const line = ["-k", "2", "--id", "id"];
    await refused(
      "is an input and would be overwritten",
      "cluster",
      at("labels.csv.source.json"),
      ...line,
      "--delimiter",
      ",",
      "--out",
      at("labels.csv"),
    );
    symlinkSync("other.json", at("l.csv.source.json"));
    await refused(READ, "cluster", at("other.json"), ...line, "--out", at("l.csv"));
    // The side file of what is read says which data it belongs to: it is read too.
    writeFileSync(at("known.csv.source.json"), "{}");
    await refused(
      "is an input and would be overwritten",
      "cluster",
      at("data.csv"),
      ...line,
      "--constraints",
      at("known.csv"),
      "--html",
      at("known.csv.source.json"),
    );
    await refused(
      "is the name of two output files",
      "cluster",
      at("data.csv"),
      ...line,
      "--out",
      at("new"),
      "--html",
      at("new.source.json"),
    );
  });

  test("a set of COTERIE_DATA, by its name", async () => {
    const { at, refused } = setting({ "iris-fisher.csv": "x,class\n0,a\n1,a\n9,b\n10,b\n" });
    const before = process.env.COTERIE_DATA;
    process.env.COTERIE_DATA = at("");
    onTestFinished(() => {
      if (before === undefined) delete process.env.COTERIE_DATA;
      else process.env.COTERIE_DATA = before;
    });
    symlinkSync("iris-fisher.csv", at("link.csv"));
    for (const name of ["iris-fisher.csv", "link.csv"])
      await refused(
        "is an input and would be overwritten",
        "cluster",
        "iris-fisher",
        "-k",
        "2",
        "--ignore",
        "class",
        "--out",
        at(name),
      );
    expect(
      (await coterie("cluster", "iris-fisher", "-k", "2", "--ignore", "class", "--quiet", "--out", at("labels.csv"))).code,
    ).toBe(0);
  });

  test("a set that comes with the package", async () => {
    const { path } = JSON.parse((await coterie("data", "show", "iris-fisher", "--json")).out);
    const before = readFileSync(path);
    const { code, err } = await coterie("cluster", "iris-fisher", "-k", "2", "--ignore", "class", "--out", path);
    expect([code, err]).toEqual([2, expect.stringContaining("is an input and would be overwritten")]);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("what the log of answers names, when a dialogue goes on", async () => {
    const { at, refused } = setting();
    symlinkSync("known.csv", at("link.csv"));
    const line = ["ask", at("data.csv")];
    const begun = await coterie(...line, "-k", "2", "--id", "id", "--constraints", at("known.csv"), "--quiet");
    expect(begun.code).toBe(0);
    await refused(READ, ...line, "--resume", "--out", at("link.csv"));
    symlinkSync("data.csv.answers.jsonl", at("log"));
    await refused("are the same file", ...line, "--resume", "--out", at("log"));
    await refused("is the name of two output files", ...line, "--resume", "--out", at("data.csv.answers.jsonl.lock"));
  });
});

test("two names of one file are not written to both", async () => {
  const { at, refused } = setting({ "old.csv": "" });
  const line = ["cluster", at("data.csv"), "-k", "2", "--id", "id"];
  symlinkSync("new.csv", at("dangling.csv"));
  symlinkSync("new.csv.source.json", at("dangling.json"));
  linkSync(at("old.csv"), at("hard.csv"));
  await refused("are the same file", ...line, "--out", at("new.csv"), "--report", at("dangling.csv"));
  await refused("are the same file", ...line, "--out", at("new.csv"), "--model", at("dangling.json"));
  await refused("are the same file", ...line, "--out", at("old.csv"), "--html", at("hard.csv"));
});

test("a link that leads nowhere is followed: the file is made there", async () => {
  const { at } = setting();
  mkdirSync(at("results"));
  symlinkSync("results/labels.csv", at("labels.csv"));
  expect((await coterie("cluster", at("data.csv"), "-k", "2", "--id", "id", "--quiet", "--out", at("labels.csv"))).code).toBe(0);
  expect(readlinkSync(at("labels.csv"))).toBe("results/labels.csv");
  expect(readFileSync(at("results/labels.csv"), "utf8")).toBe("id,cluster\na,0\nb,0\nc,1\nd,1\n");
  symlinkSync("nowhere/labels.csv", at("lost.csv"));
  const lost = await coterie("cluster", at("data.csv"), "-k", "2", "--id", "id", "--out", at("lost.csv"));
  expect([lost.code, lost.err]).toEqual([3, expect.stringMatching(/lost\.csv: The folder \S+nowhere does not exist/)]);
  symlinkSync("round.csv", at("round.csv"));
  const round = await coterie("cluster", at("data.csv"), "-k", "2", "--id", "id", "--out", at("round.csv"));
  expect([round.code, round.err]).toEqual([3, expect.stringContaining("Links lead in a circle")]);
});

test("what a file may do, its successor may; what may not be written is not", async () => {
  const { at } = setting({ "mine.csv": "" });
  const line = ["cluster", at("data.csv"), "-k", "2", "--id", "id", "--quiet", "--out", at("mine.csv")];
  chmodSync(at("mine.csv"), 0o600);
  expect((await coterie(...line)).code).toBe(0);
  expect(statSync(at("mine.csv")).mode & 0o777).toBe(0o600);
  chmodSync(at("mine.csv"), 0o444);
  const before = readFileSync(at("mine.csv"), "utf8");
  const { code, err } = await coterie(...line);
  expect([code, err]).toEqual([3, expect.stringContaining("is write-protected")]);
  expect(readFileSync(at("mine.csv"), "utf8")).toBe(before);
});

test("names as long as the disk allows", async () => {
  const { folder, at } = setting();
  const line = ["cluster", at("data.csv"), "-k", "2", "--id", "id", "--quiet"];
  const longest = "n".repeat(243);
  expect((await coterie(...line, "--out", at(longest))).code).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(["data.csv", "known.csv", longest, `${longest}.source.json`]);
  const before = contents(folder);
  const { code, err } = await coterie(...line, "--out", at(`${longest}n`));
  expect([code, err]).toEqual([3, expect.stringContaining("The name is too long for this disk")]);
  expect(contents(folder)).toEqual(before);
});

describe("any tangle of links", () => {
  const NAMES = ["data.csv", "known.csv", "p", "q", "r", "a/s", "a/t", "b/u"];
  /** Ways to a name: as it stands, through a link to its folder, around a corner. */
  const WAYS: readonly ((name: string) => string)[] = [
    (name) => name,
    (name) => `./${name}`,
    (name) => name.replace(/^a\//, "la/"),
    (name) => `la/../${name}`,
    (name) => `b/../${name}`,
    (name) => `${name}.source.json`,
  ];
  const name = fc.constantFrom(...NAMES);
  const way = fc.tuple(name, fc.constantFrom(...WAYS)).map(([each, along]) => along(each));
  const entry = fc.record({
    name: fc.constantFrom(...NAMES.slice(2), "p.source.json", "q.source.json"),
    to: way,
    kind: fc.constantFrom("file", "link", "whole", "hard"),
  });
  const plan = fc.record({
    entries: fc.array(entry, { maxLength: 5 }),
    data: fc.constantFrom("data.csv", "./data.csv", "b/../data.csv", "la/../data.csv"),
    flags: fc.subarray(["--out", "--report", "--html", "--model"], { minLength: 1 }),
    paths: fc.tuple(way, way, way, way),
  });

  interface Entry {
    readonly name: string;
    readonly to: string;
    readonly kind: string;
  }

  /** The tangle in a folder of its own. */
  function build(entries: readonly Entry[]): string {
    const folder = folderWith({ "data.csv": TABLE, "known.csv": KNOWN });
    for (const each of ["a", "b"]) mkdirSync(join(folder, each));
    symlinkSync("a", join(folder, "la"));
    for (const { name: made, to, kind } of entries) {
      const path = join(folder, made);
      if (existsSync(path) || lstatSync(path, { throwIfNoEntry: false })) continue;
      if (kind === "file") writeFileSync(path, "old");
      else if (kind === "link") symlinkSync(dirname(made) === "." ? to : `../${to}`, path);
      else if (kind === "whole") symlinkSync(`${folder}/${to}`, path);
      else if (existsSync(`${folder}/${to}`) && statSync(`${folder}/${to}`).isFile()) linkSync(`${folder}/${to}`, path);
    }
    return folder;
  }

  /** What the system itself makes of these names: whether all can be opened, and lead to different files that are not read. */
  function systemAllows(folder: string, reads: readonly string[], writes: readonly string[]): boolean {
    const keyOf = (path: string) => {
      const { dev, ino } = statSync(`${folder}/${path}`, { bigint: true });
      return `${dev}:${ino}`;
    };
    const read = reads.map(keyOf);
    try {
      for (const path of writes) closeSync(openSync(`${folder}/${path}`, "a"));
    } catch {
      return false;
    }
    const keys = writes.map(keyOf);
    return new Set(keys).size === keys.length && !keys.some((key) => read.includes(key));
  }

  const HEADS: Readonly<Record<string, RegExp>> = {
    "--out": /^id,cluster\n/,
    "--report": /^\{"algorithm"/,
    "--html": /^<!doctype html>/i,
    "--model": /^\{/,
  };

  test(`${RUNS} of them: the line is refused where the system sees one file twice, and else all is written`, {
    timeout: 1_200_000,
  }, async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(plan, async ({ entries, data, flags, paths }) => {
        const outputs = flags.map((flag, i) => [flag, paths[i]!] as const);
        const sides = outputs.flatMap(([flag, path]) => (["--out", "--report"].includes(flag) ? [`${path}.source.json`] : []));
        const twin = build(entries);
        const inputs = [
          data,
          "known.csv",
          ...[`${data}.source.json`, "known.csv.source.json"].filter((path) => existsSync(`${twin}/${path}`)),
        ];
        const allowed = systemAllows(twin, inputs, [...outputs.map(([, path]) => path), ...sides]);
        const folder = build(entries);
        const before = contents(folder);
        const line = outputs.flatMap(([flag, path]) => [flag, `${folder}/${path}`]);
        const { code, err } = await coterie(
          "cluster",
          `${folder}/${data}`,
          "-k",
          "2",
          "--id",
          "id",
          "--quiet",
          "--constraints",
          `${folder}/known.csv`,
          "--algorithm",
          "pck-means",
          ...line,
        );
        const after = contents(folder);
        expect(Object.keys(after).filter((path) => path.includes(".part"))).toEqual([]);
        expect([after["data.csv"], after["known.csv"]]).toEqual([TABLE, KNOWN]);
        if (!allowed) {
          expect([2, 3], err).toContain(code);
          expect(after).toEqual(before);
          return;
        }
        expect([code, err]).toEqual([0, ""]);
        written++;
        for (const [flag, path] of outputs) expect(readFileSync(`${folder}/${path}`, "utf8")).toMatch(HEADS[flag]!);
        for (const path of sides) expect(readFileSync(`${folder}/${path}`, "utf8")).toContain('"sha256"');
        for (const [path, text] of Object.entries(before)) if (text.startsWith("-> ")) expect(after[path]).toBe(text);
      }),
      { numRuns: RUNS },
    );
    expect(written).toBeGreaterThan(RUNS / 20);
    expect(written).toBeLessThan(RUNS);
  });
});
