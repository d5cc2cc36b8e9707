/** `coterie studio` as people start it: its one line, its end, what it refuses, and that no acknowledged answer is ever lost. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpCall } from "@coterie/workbench/protocol";
import { expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));
const LONG = process.env.COTERIE_LONG === "1";

interface Started {
  readonly child: ChildProcess;
  readonly address: string;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** Waits for the line with the address, or for the end. */
function studio(...args: readonly string[]): Promise<Started> {
  return started(process.execPath, [BIN, "studio", "--no-open", ...args]);
}

async function started(command: string, args: readonly string[]): Promise<Started> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  let messages = (_: string) => {};
  const line = new Promise<string>((resolve) => {
    messages = resolve;
  });
  child.stdout!.on("data", (text) => {
    out += text;
    if (out.includes("\n")) messages(out);
  });
  child.stderr!.on("data", (text) => (err += text));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on("close", (code) => {
      messages(out || err);
      resolve({ code, out, err });
    });
  });
  return { child, address: (await line).replace("Coterie studio: ", "").trim(), ended };
}

function clientOf(address: string) {
  if (!URL.canParse(address)) throw new Error(`The studio printed no address, but "${address}".`);
  const { origin, searchParams } = new URL(address);
  return httpCall({ base: origin, token: searchParams.get("token")! });
}

test("one line with the address; Ctrl-C ends it with 0, and everything is there the next time", async () => {
  const facts = { format: 1, version: "0.1.0", data: "iris.csv", sha256: "ab", rows: 150, features: ["x"], options: {}, k: 3 };
  const start = { ...facts, record: "start", strategy: "spreading", budget: 9, seed: 0, reading: {}, constraints: [], known: "" };
  const answer = { record: "answer", number: 1, kind: "pair", ask: [5, 6], answer: "same" };
  const folder = folderWith({
    "known.csv": "type,a,b\nmust-link,0,1\ncannot-link,0,149\n",
    "iris.answers.jsonl": `${JSON.stringify(start)}\n${JSON.stringify(answer)}\n`,
  });
  const args = [
    "iris-fisher",
    "--port",
    "0",
    "--token",
    "my token",
    "--folder",
    join(folder, "studio"),
    "--constraints",
    join(folder, "known.csv"),
    "--constraints",
    join(folder, "iris.answers.jsonl"),
  ];
  const first = await studio(...args);
  expect(first.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=my%20token$/);
  const call = clientOf(first.address);
  const [project] = await call("listProjects", {});
  expect(project).toMatchObject({ id: "iris-fisher", rows: 150, constraints: 3, k: 3 });
  first.child.kill("SIGINT");
  const { code, out } = await first.ended;
  expect([code, out.trim().split("\n").length]).toEqual([0, 1]);
  const again = await studio(...args);
  expect((await clientOf(again.address)("listProjects", {}))[0]).toMatchObject({ id: "iris-fisher", constraints: 3 });
  again.child.kill("SIGTERM");
  expect((await again.ended).code).toBe(0);
});

test("a failure gives an error sentence and its exit code", async () => {
  const folder = folderWith({});
  const broken = folderWith({ "projects.coterie": "no database\n".repeat(500) });
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((ready) => taken.once("listening", ready));
  const port = String((taken.address() as AddressInfo).port);
  const ends = async (...args: readonly string[]) => {
    const { code, err, out } = await (await studio(...args)).ended;
    return [code, err.trim(), out];
  };
  expect(await ends("--port", port, "--folder", join(folder, "a"))).toEqual([
    3,
    `coterie: Port ${port} is taken. Name another with --port, or leave it out.`,
    "",
  ]);
  expect((await ends("--folder", broken))[1]).toMatch(/^coterie: The project file .* is damaged \(.*It was left as it is\./);
  expect(await ends(join(folder, "none.csv"), "--folder", join(folder, "b"))).toMatchObject([
    3,
    expect.stringContaining("There is no such file"),
    "",
  ]);
  expect((await ends("--port", "70000"))[0]).toBe(2);
  for (const token of ["", "x", "seven77"])
    expect(await ends("--token", token)).toEqual([2, expect.stringContaining("--token needs 8 characters or more"), ""]);
  expect((await ends("-"))[0]).toBe(2);
  expect(await ends("--folder", "")).toEqual([2, expect.stringContaining("--folder needs the name of a folder."), ""]);
});

/** As somebody starts it in a folder, with variables of their own. */
function startedIn(folder: string, variables: readonly string[], ...args: readonly string[]): Promise<Started> {
  const inside = `cd "$0" && exec env "$@"`;
  return started("sh", ["-c", inside, folder, ...variables, process.execPath, BIN, "studio", "--port", "0", ...args]);
}

test.skipIf(process.platform === "win32")("a folder that cannot be used is one sentence, and exit code 3", async () => {
  const folder = folderWith({ file: "" });
  for (const each of [
    join(folder, "file"),
    join(folder, "file", "inside"),
    ...(process.platform === "linux" ? ["/proc/1/x"] : []),
  ]) {
    const { code, err } = await (await studio("--port", "0", "--folder", each)).ended;
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/^coterie: .* so no projects can be kept in .* Name another folder with --folder\.\n$/),
    ]);
  }
  const home = await (await startedIn(folder, [`XDG_DATA_HOME=${join(folder, "file")}`], "--no-open")).ended;
  expect([home.code, home.err]).toEqual([3, expect.stringContaining("is a file, not a folder")]);
});

test.skipIf(process.platform === "win32")(
  "the browser is given a private page that leads to the studio, not the token",
  async () => {
    const folder = folderWith({ "browser.sh": `#!/bin/sh\necho "$@" > "$(dirname "$0")/given"\n` });
    chmodSync(join(folder, "browser.sh"), 0o755);
    const variables = [`BROWSER=${join(folder, "browser.sh")}`];
    const { child, address, ended } = await startedIn(folder, variables, "--folder", join(folder, "studio"));
    await expect.poll(() => existsSync(join(folder, "given")) && readFileSync(join(folder, "given"), "utf8")).toMatch(/\n$/);
    const given = readFileSync(join(folder, "given"), "utf8").trim();
    expect(given).not.toContain(new URL(address).searchParams.get("token"));
    const page = fileURLToPath(given);
    expect(readFileSync(page, "utf8")).toContain(`content="0; url=${address}"`);
    expect(statSync(page).mode & 0o077).toBe(0);
    child.kill("SIGINT");
    await ended;
    expect(existsSync(page)).toBe(false);
  },
);

test.skipIf(process.platform === "win32")(
  "npm start and the command share one folder, and earlier projects are brought into it",
  async () => {
    const folder = folderWith({});
    const first = await studio("iris-fisher", "--port", "0", "--folder", join(folder, "coterie-output", "studio"));
    first.child.kill("SIGINT");
    await first.ended;
    const { child, address, ended } = await startedIn(folder, [`XDG_DATA_HOME=${join(folder, "share")}`], "--no-open");
    const call = clientOf(address);
    expect((await call("listProjects", {})).map(({ id, rows }) => [id, rows])).toEqual([["iris-fisher", 150]]);
    const place = join(folder, "share", "coterie", "studio", "projects.coterie");
    await expect(call("project", { project: "nowhere" })).rejects.toThrow(`There is no project "nowhere" in ${place}.`);
    child.kill("SIGINT");
    expect((await ended).err).toContain(
      `A project of ${join(folder, "coterie-output", "studio")} is in ${join(folder, "share")}`,
    );
    expect(readFileSync(new URL("../../../tools/start.mjs", import.meta.url), "utf8")).not.toContain("--folder");
  },
);

test.skipIf(process.platform === "win32")(
  "a disk that takes no more gives an error; what was acknowledged stays, and with room again all goes on",
  async () => {
    const folder = join(folderWith({}), "studio");
    const args = ["iris-fisher", "--port", "0", "--token", "a test token", "--folder", folder];
    await (async () => {
      const { child, ended } = await studio(...args);
      child.kill("SIGINT");
      await ended;
    })();
    // No file of this studio may grow beyond some hundred kilobytes.
    const limited = `trap '' XFSZ; ulimit -f 1000; exec "$0" "$@"`;
    const { child, address, ended } = await started("sh", ["-c", limited, process.execPath, BIN, "studio", "--no-open", ...args]);
    const call = clientOf(address);
    const entriesOf = (turn: number) =>
      Array.from({ length: 200 }, (_, i) => ({
        id: `full-${turn}-${String(i).padStart(4, "0")}`,
        by: "x".repeat(500),
        from: { kind: "drawn" as const },
        change: { type: "add" as const, constraint: { type: "must-link" as const, a: i % 150, b: (i + 1) % 150 } },
      }));
    const kept: string[] = [];
    let refused: unknown;
    for (let turn = 0; turn < 40 && !refused; turn++)
      await call("append", { project: "iris-fisher", entries: entriesOf(turn) }).then(
        (entries) => kept.push(...entries.map(({ id }) => id)),
        (error: unknown) => {
          refused = error;
        },
      );
    expect(refused).toMatchObject({ status: 507, message: expect.stringMatching(/nothing was changed/) });
    expect((await call("entries", { project: "iris-fisher" })).map(({ id }) => id)).toEqual(kept);
    child.kill("SIGKILL");
    await ended;
    const again = await studio(...args);
    const later = clientOf(again.address);
    expect((await later("entries", { project: "iris-fisher" })).map(({ id }) => id)).toEqual(kept);
    await later("append", { project: "iris-fisher", entries: entriesOf(99) });
    expect(await later("entries", { project: "iris-fisher" })).toHaveLength(kept.length + 200);
  },
);

const KILLS = LONG ? 200 : 3;
const PEOPLE = 4;

test(`${KILLS} kills under a stream of answers: no acknowledged answer is lost, none is kept twice`, {
  timeout: LONG ? 3_600_000 : 240_000,
}, async () => {
  const folder = join(folderWith({}), "studio");
  const acknowledged = new Set<string>();
  let made = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const { child, address, ended } = await studio("iris-fisher", "--port", "0", "--token", "a test token", "--folder", folder);
    const call = clientOf(address);
    const kept = (await call("entries", { project: "iris-fisher" })).map(({ id }) => id);
    expect(new Set(kept).size).toBe(kept.length);
    expect([...acknowledged].filter((id) => !kept.includes(id))).toEqual([]);
    if (kill === KILLS) {
      child.kill("SIGINT");
      expect((await ended).code).toBe(0);
      break;
    }
    const answer = async (by: string) => {
      for (;;) {
        const id = `answer-${String(made++).padStart(8, "0")}`;
        const constraint = { type: "must-link" as const, a: made % 150, b: (made * 7 + 1) % 150 };
        if (constraint.a === constraint.b) continue;
        const entry = { id, by, from: { kind: "drawn" as const }, change: { type: "add" as const, constraint } };
        await call("append", { project: "iris-fisher", entries: [entry] });
        acknowledged.add(id);
      }
    };
    const people = Array.from({ length: PEOPLE }, (_, i) => answer(`person ${i}`).catch(() => undefined));
    // Some are killed with the first answer, some in full swing.
    const wanted = acknowledged.size + ((kill * 37) % 60);
    while (acknowledged.size <= wanted) await new Promise((resume) => setTimeout(resume, 1));
    child.kill("SIGKILL");
    await ended;
    await Promise.all(people);
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS);
});
