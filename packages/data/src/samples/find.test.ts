import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { knownSample, packagedDirectory } from "./catalogue.js";
import { findSample, listSamples, sha256, showSample } from "./find.js";
import { type Places, placesOf } from "./places.js";

let root: string;
let places: Places;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "coterie-find-"));
  places = { dataDir: join(root, "data"), packagedDir: packagedDirectory, cacheDir: join(root, "cache") };
  await mkdir(places.dataDir!);
});
afterEach(() => rm(root, { recursive: true }));

const packaged = (name: string) => readFile(join(packagedDirectory, `${name}.csv`), "utf8");

describe("findSample", () => {
  test("a packaged set", async () => {
    const found = await findSample("wine", places);
    expect(found).toMatchObject({ place: "packaged", path: join(packagedDirectory, "wine.csv"), notices: [] });
    expect(found.facts?.instances).toBe(178);
  });

  test("COTERIE_DATA goes first; a file that differs is used with a notice", async () => {
    await writeFile(join(places.dataDir!, "wine.csv"), await packaged("wine"));
    expect(await findSample("wine", places)).toMatchObject({ place: "COTERIE_DATA", notices: [] });
    await writeFile(join(places.dataDir!, "wine.csv"), "a,class\n1,x\n");
    const changed = await findSample("wine", places);
    expect(changed.place).toBe("COTERIE_DATA");
    expect(changed.notices[0]).toContain('differs from the sample set "wine"');
  });

  test("a file in COTERIE_DATA that the catalogue does not list", async () => {
    await writeFile(join(places.dataDir!, "mine.csv"), "a,class\n1,x\n");
    expect(await findSample("mine", places)).toMatchObject({ place: "COTERIE_DATA", facts: null, notices: [] });
  });

  test("a name cannot leave the directory", async () => {
    await writeFile(join(root, "secret.csv"), "a\n1\n");
    await expect(findSample("../secret", places)).rejects.toThrow('There is no sample set "../secret".');
    await expect(findSample("..", places)).rejects.toThrow("There is no sample set");
  });

  test("a set that is not here says how to get it", async () => {
    await expect(findSample("yeast", places)).rejects.toThrow(
      'The sample set "yeast" is not on this machine. Run "coterie data get yeast", or put yeast.csv into the directory that COTERIE_DATA names.',
    );
    await expect(findSample("iris", places)).rejects.toThrow('The package has "iris-fisher". Run "coterie data get iris"');
    await expect(findSample("soybean-562", places)).rejects.toThrow(
      'It is the rows of soybean without a missing cell: run "coterie data get soybean-562"',
    );
    await expect(findSample("protein", places)).rejects.toThrow("No public download is known: put protein.csv");
    await expect(findSample("yeas", { ...places, dataDir: null })).rejects.toThrow('Did you mean "yeast"?');
  });

  test("a derived set is made from its parent, once, whole, and kept in the cache", async () => {
    const made = await findSample("letters-IJL", places);
    expect(made).toMatchObject({ place: "cache", path: join(places.cacheDir, "letters-IJL.csv") });
    expect(sha256(await readFile(made.path))).toBe(knownSample("letters-IJL").sha256);
    expect(await readdir(places.cacheDir)).toEqual(["letters-IJL.csv"]);
    expect((await findSample("letters-IJL", places)).path).toBe(made.path);
  });

  test("a damaged file in the cache is made anew", async () => {
    await mkdir(places.cacheDir);
    await writeFile(join(places.cacheDir, "letters-IJL.csv"), "broken");
    const made = await findSample("letters-IJL", places);
    expect(sha256(await readFile(made.path))).toBe(knownSample("letters-IJL").sha256);
  });

  test("a parent that differs from the catalogue's is not used", async () => {
    await writeFile(join(places.dataDir!, "letter.csv"), "a,class\n1,I\n");
    await expect(findSample("letters-IJL", places)).rejects.toThrow(
      'letter.csv: The set "letters-IJL", the rows of letter in the classes I, J, L, cannot be made from this file.',
    );
    expect(await readdir(root)).toEqual(["data"]);
  });

  test("a cache that cannot be written gives a sentence", async () => {
    await writeFile(join(root, "cache"), "a file, not a directory");
    await expect(findSample("letters-IJL", places)).rejects.toThrow(
      /could not be written \(\w+\); nothing was saved\. Set XDG_CACHE_HOME/,
    );
  });
});

describe("listSamples and showSample", () => {
  test("say where each set is", async () => {
    await writeFile(join(places.dataDir!, "yeast.csv"), "a,class\n1,x\n");
    await mkdir(places.cacheDir);
    await writeFile(join(places.cacheDir, "seeds.csv"), "a,class\n1,x\n");
    const byName = new Map((await listSamples(places)).map((status) => [status.name, status]));
    expect(byName.get("yeast")).toMatchObject({ place: "COTERIE_DATA", path: join(places.dataDir!, "yeast.csv") });
    expect(byName.get("seeds")).toMatchObject({ place: "cache", path: join(places.cacheDir, "seeds.csv") });
    expect(byName.get("wine")).toMatchObject({ place: "packaged" });
    expect(byName.get("letters-3000")).toMatchObject({ place: "derivable", path: null });
    expect(byName.get("digits-389")).toMatchObject({ place: "not here", path: null });
  });

  test("a sheet names the addresses and how to get the set", async () => {
    const sheet = await showSample("image", places);
    expect(sheet.download!.files.length).toBe(2);
    expect(sheet.remedy).toContain("coterie data get image");
    expect(await showSample("zoo", places)).toMatchObject({ remedy: null, place: "packaged" });
    await expect(showSample("zo", places)).rejects.toThrow('Did you mean "zoo"?');
  });
});

test("the cache directory follows the platform's variables", () => {
  expect(placesOf({}, { XDG_CACHE_HOME: "/x" }, "linux").cacheDir).toBe(join("/x", "coterie"));
  expect(placesOf({}, {}, "darwin").cacheDir).toBe(join(homedir(), ".cache", "coterie"));
  expect(placesOf({}, { LOCALAPPDATA: "/local" }, "win32").cacheDir).toBe(join("/local", "coterie", "cache"));
  expect(placesOf({}, { COTERIE_DATA: "" }).dataDir).toBe(null);
  expect(placesOf({}, { COTERIE_DATA: "/d" }).dataDir).toBe("/d");
  expect(placesOf({ dataDir: null }, { COTERIE_DATA: "/d" }).dataDir).toBe(null);
});
