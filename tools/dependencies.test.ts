/** What the release job downloads and runs is pinned: packages by integrity, actions by commit. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { complete, unverified } from "./complete-lock.mjs";

const root = new URL("../", import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, root), "utf8");

/**
 * Optional packages of other platforms that the registry of the last update did not have. None of them is installed where
 * releases are made. `node tools/complete-lock.mjs` with a complete registry fills them in; then they leave this list.
 */
const NOT_IN_THE_REGISTRY = [
  ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64", "win32-arm64", "win32-x64"].map(
    (platform) => `@biomejs/cli-${platform}@2.6.6`,
  ),
  ...["darwin-arm64", "darwin-x64", "linux-arm64", "linux-arm64-musl", "win32-arm64", "win32-x64"].map(
    (platform) => `@duckdb/node-bindings-${platform}@1.5.6-r.1`,
  ),
  ...[
    ...["android-arm-eabi", "android-arm64", "darwin-arm64", "darwin-x64", "freebsd-x64", "linux-arm-gnueabihf"],
    ...["linux-arm-musleabihf", "linux-ppc64-gnu", "linux-riscv64-gnu", "linux-riscv64-musl", "linux-s390x-gnu"],
    ...["openharmony-arm64", "win32-arm64-msvc", "win32-ia32-msvc", "win32-x64-msvc"],
  ].map((platform) => `@oxc-parser/binding-${platform}@0.155.0`),
];

test("every package of the lock file has an integrity, and none names a registry but npm's own", () => {
  const lock = JSON.parse(textOf("package-lock.json"));
  const open = unverified(lock);
  expect(open.map(([name]) => name).toSorted()).toEqual(NOT_IN_THE_REGISTRY.toSorted());
  for (const [name, { optional, os, cpu }] of open) {
    expect(optional, name).toBe(true);
    const runsAtRelease = (os?.includes("linux") ?? true) && (cpu?.includes("x64") ?? true);
    expect(runsAtRelease, name).toBe(false);
  }
  for (const [place, { link, resolved }] of Object.entries<{ link?: boolean; resolved?: string }>(lock.packages)) {
    if (!link && resolved !== undefined) expect(resolved, place).toMatch(/^https:\/\/registry\.npmjs\.org\//);
  }
});

test("the lock file is completed with packages of other platforms and with the integrity of each", async () => {
  const own = { version: "1.0.0", integrity: "sha512-own" };
  const lock = {
    packages: {
      "": {},
      "node_modules/tool": { ...own, dev: true, optionalDependencies: { "tool-linux-x64": "1.2.0", "tool-win32-x64": "1.2.0" } },
      "node_modules/tool-linux-x64": { version: "1.2.0", os: ["linux"], optional: true },
      "node_modules/other/node_modules/inner": { version: "3.0.0" },
      "node_modules/our-own": { link: true, resolved: "packages/our-own" },
      "packages/our-own": { version: "0.1.0" },
    },
  };
  const asked: string[] = [];
  const result = await complete(lock, async (name: string) => {
    asked.push(name);
    return name.startsWith("inner") ? null : `sha512-${name}`;
  });
  expect(asked.toSorted()).toEqual(["inner@3.0.0", "tool-linux-x64@1.2.0", "tool-win32-x64@1.2.0"]);
  expect(result).toEqual({ added: 1, filled: 2, unknown: ["inner@3.0.0"] });
  expect(lock.packages).toMatchObject({
    "node_modules/tool": own,
    "node_modules/tool-linux-x64": { integrity: "sha512-tool-linux-x64@1.2.0", optional: true },
    "node_modules/tool-win32-x64": { integrity: "sha512-tool-win32-x64@1.2.0", os: ["win32"], dev: true, optional: true },
  });
});

test("workflows run actions by commit, and packages from the lock file alone", () => {
  const folder = ".github/workflows/";
  for (const file of readdirSync(fileURLToPath(new URL(folder, root)))) {
    const text = textOf(folder + file);
    const actions = text.match(/uses:.*/g) ?? [];
    expect(actions.length, file).toBeGreaterThan(0);
    for (const action of actions) expect(action, file).toMatch(/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text, file).not.toMatch(/npm install|npx --yes|npx -y/);
  }
  const { scripts, devDependencies } = JSON.parse(textOf("package.json"));
  for (const name of ["release:version", "release:publish"]) {
    expect(scripts[name], name).toMatch(/(^| )changeset (version|publish)$/);
    expect(scripts[name], name).not.toContain("npx");
  }
  expect(devDependencies["@changesets/cli"]).toMatch(/^\d+\.\d+\.\d+$/);
});
