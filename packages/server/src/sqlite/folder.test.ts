/** Folders of projects: which cannot be used, who may read their files, and who has them open. */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "@coterie/workbench";
import { expect, test } from "vitest";
import { project } from "../../../workbench/src/testing/store-suite.js";
import { temporaryFolder } from "../testing/folders.js";
import { PROJECT_FILE } from "./folder.js";
import { openStore } from "./store.js";

const isRoot = process.getuid?.() === 0;

test.skipIf(process.platform === "win32")("a folder that cannot be used is refused in one sentence that names it", async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at("file"), "");
  for (const name of ["taken", "closed", "bare"]) mkdirSync(at(name));
  mkdirSync(join(at("taken"), PROJECT_FILE));
  writeFileSync(join(at("bare"), "data"), "");
  symlinkSync(at("loop"), at("loop"));
  chmodSync(at("closed"), 0o500);
  const refused: [string, RegExp][] = [
    [at("file"), /file is a file, not a folder, so no projects can be kept in .*file\. Name another folder/],
    [join(at("file"), "inside"), /file is a file, not a folder/],
    [at("taken"), /projects\.coterie is a folder, not a file/],
    [at("bare"), /data is a file, not a folder/],
    [join(at("loop"), "x"), /is a link that leads back to itself/],
    [at("x".repeat(300)), /has too long a name/],
    ...(process.platform === "linux"
      ? [["/proc/1/x", /^\/proc\/1\/x (?:cannot be made|may not be written)/] as [string, RegExp]]
      : []),
    ...(isRoot
      ? []
      : [
          [at("closed"), /may not be written/] as [string, RegExp],
          [join(at("closed"), "x"), /may not be written/] as [string, RegExp],
        ]),
  ];
  for (const [each, sentence] of refused) {
    const error = await openStore(each).catch((reason: unknown) => reason);
    expect([each, error]).toEqual([each, expect.objectContaining({ name: "StoreError", trouble: "unusable" })]);
    expect((error as Error).message).toMatch(sentence);
  }
});

test.skipIf(process.platform === "win32")(
  "all files are private, in a folder that was there before and open to others too",
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    for (const name of [PROJECT_FILE]) writeFileSync(join(folder, name), "", { mode: 0o644 });
    const store = await openStore(folder);
    const { sha256 } = await store.hold(once(Uint8Array.of(1)));
    await store.hold(once(Uint8Array.of(2)));
    await store.addProject(project("p", "2026-01-01T00:00:00.000Z", sha256));
    const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
    expect(files.map((file) => file.replace(/.*\.coterie/, "")).sort()).toEqual(
      expect.arrayContaining(["", "-shm", "-wal", ".lock"]),
    );
    expect(files.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
    await store.close();
  },
);

test.skipIf(process.platform === "win32")("a project file behind a link is open once, by whichever name", async () => {
  const [home, other] = [temporaryFolder(), temporaryFolder()];
  const first = await openStore(home);
  symlinkSync(join(home, PROJECT_FILE), join(other, PROJECT_FILE));
  await expect(openStore(other)).rejects.toThrow(/has this project file open/);
  await first.addProject(project("p"));
  await first.close();
  const again = await openStore(other);
  expect((await again.projects()).map(({ id }) => id)).toEqual(["p"]);
  await expect(openStore(home)).rejects.toThrow(/has this project file open/);
  await again.close();
});
