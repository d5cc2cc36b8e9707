import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stamped } from "./makers.js";
import { dropPart, newPart, putInPlace, removeStaleParts, stage } from "./parts.js";
import { placeOf } from "./places.js";

const GONE = 2 ** 22 - 1;
const freshFolder = () => mkdtempSync(join(tmpdir(), "coterie-parts-"));

test("a file is staged beside its place, and then is there whole", async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "l.csv"), "old");
  const part = await stage(join(folder, "l.csv"), ["a", "bc", "ä"], {});
  expect(readFileSync(join(folder, "l.csv"), "utf8")).toBe("old");
  expect(readdirSync(folder)).toHaveLength(2);
  expect(putInPlace([part]).placed).toEqual([part]);
  expect(readdirSync(folder)).toEqual(["l.csv"]);
  expect(readFileSync(join(folder, "l.csv"), "utf8")).toBe("abcä");
});

test("what goes wrong while a file is staged leaves nothing", async () => {
  const folder = freshFolder();
  const name = join(folder, "l.csv");
  const pieces = function* () {
    yield "a";
    throw new Error("no more");
  };
  await expect(stage(name, pieces(), {})).rejects.toThrow("no more");
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  await expect(stage(name, ["a"], { write: () => Promise.reject(full) })).rejects.toBe(full);
  const stop = new AbortController();
  stop.abort();
  await expect(stage(name, ["a"], { signal: stop.signal })).rejects.toMatchObject({ name: "AbortError" });
  expect(readdirSync(folder)).toEqual([]);
});

test("a place that cannot be taken: those before it are, those after it are not, and no part is left", async () => {
  const folder = freshFolder();
  const parts = [];
  for (const name of ["a", "b", "c"]) parts.push(await stage(join(folder, name), [name], {}));
  mkdirSync(join(folder, "b/c"), { recursive: true });
  const { placed, error } = putInPlace(parts);
  expect([placed.map(({ name }) => name), (error as NodeJS.ErrnoException).code]).toEqual([
    [join(folder, "a")],
    expect.any(String),
  ]);
  expect(readdirSync(folder).sort()).toEqual(["a", "b"]);
});

test("stale parts are removed, and nobody else's files", () => {
  const folder = freshFolder();
  const at = (name: string) => join(folder, name);
  const own = newPart(at("mine.csv"));
  const name = (of: string, host?: string) => {
    const made = stamped(of, "part").replace(`-${process.pid}-`, `-${GONE}-`);
    return host === undefined ? made : made.replace(/coterie-[0-9a-f]{8}/, `coterie-${host}`);
  };
  const [dead, claim, young, old, link] = [
    name("labels.csv"),
    stamped("x.lock", "claim").replace(`-${process.pid}-`, `-${GONE}-`),
    name("r.json", "00000000"),
    name("old.json", "00000000"),
    name("link.csv"),
  ];
  for (const each of ["notes.txt", "movie.mkv.part", "labels.csv.812.part", dead, claim, young, old])
    writeFileSync(at(each), "x");
  writeFileSync(own, "x");
  symlinkSync("notes.txt", at(link));
  utimesSync(at(old), 1, 1);
  expect(removeStaleParts(folder).sort()).toEqual(["labels.csv", "old.json"]);
  expect(readdirSync(folder).map(at).sort()).toEqual(
    [own, ...["notes.txt", "movie.mkv.part", "labels.csv.812.part", young, link].map(at)].sort(),
  );
  expect(lstatSync(at(link)).isSymbolicLink()).toBe(true);
  dropPart(own);
  expect(existsSync(own)).toBe(false);
  expect(removeStaleParts(join(folder, "nowhere"))).toEqual([]);
});

test("a name that leads nowhere has no place, and one that leads twice to a file has one", () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "f"), "");
  symlinkSync("f", join(folder, "l"));
  symlinkSync("g", join(folder, "dangling"));
  expect(placeOf(join(folder, "l"))).toMatchObject({ path: placeOf(join(folder, "f")).path, kind: "file" });
  expect(placeOf(join(folder, "l")).key).toBe(placeOf(join(folder, "f")).key);
  expect(placeOf(join(folder, "dangling"))).toEqual(placeOf(join(folder, "g")));
  expect(placeOf(join(folder, "g")).kind).toBe("nothing");
  expect([placeOf(folder).kind, placeOf(`${folder}/new/`).kind]).toEqual(["folder", "folder"]);
  expect(placeOf("/dev/null")).toMatchObject({ kind: "stream", key: "" });
  expect(() => placeOf(join(folder, "no/where"))).toThrow("does not exist. Create it first");
  expect(() => placeOf(join(folder, "f/g"))).toThrow("Choose another path.");
});
