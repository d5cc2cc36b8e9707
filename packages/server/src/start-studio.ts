/** Starts the studio on loopback: opens the store in a folder, starts workers, and serves the handler of app.ts. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { badInput } from "@coterie/core/internal";
import { findSample, listSamples, sampleFacts } from "@coterie/data";
import {
  type Compute,
  createRemoteCompute,
  createWorkbench,
  nodePort,
  type SampleSource,
  type Workbench,
} from "@coterie/workbench";
import type { ReadingChange } from "@coterie/workbench/protocol";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "./app.js";
import { openStore } from "./sqlite/store.js";

/** Descriptions of sample sets for the first page: what the set holds, and what it is good for. Other sets are described by their notes. */
const WORDS: Readonly<Record<string, readonly [about: string, goodFor: string]>> = {
  penguins: ["three species by bill, flipper and mass", "first look, mixed columns"],
  wine: ["three growers by 13 chemical measures", "learned metrics"],
  "crabs-species-sex": ["four groups hidden behind overall size", "why answers help"],
  soybean: ["19 diseases by 35 traits, cells missing", "nominal data"],
  digits: ["handwritten digits, 8 by 8 pixels", "many features"],
  "pendigits-full": ["pen strokes of ten digits", "many rows"],
  "iris-fisher": ["three species of iris by four measures", "a small start"],
  letter: ["capital letters by 16 statistics", "many rows and classes"],
  zoo: ["101 animals by traits and number of legs", "rules and trees"],
  votes: ["votes of 435 members of the U.S. House", "nominal data, cells missing"],
  glass: ["glass splinters by nine oxides and more", "classes of uneven size"],
  ionosphere: ["radar returns by 34 measures", "one class around another"],
  balance: ["a balance by weights and distances", "what columns alone cannot show"],
  "digits-389": ["the digits 3, 8 and 9 by pen strokes", "classes that are hard to separate"],
  "letters-IJL": ["the letters I, J and L by 16 statistics", "classes that are hard to separate"],
};

/** The sample sets on this machine: in the package, in the user's folder, or downloaded. Sets with a description in WORDS come first. */
const nodeSamples: SampleSource = {
  async list() {
    const here = (await listSamples()).filter(({ path }) => path !== null);
    const order = Object.keys(WORDS);
    const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
    return [...here]
      .sort((a, b) => rank(a.name) - rank(b.name))
      .map(({ name, instances, features, notes, sha256 }) => ({
        name,
        about: WORDS[name]?.[0] ?? notes,
        rows: instances,
        columns: features + 1,
        goodFor: WORDS[name]?.[1] ?? "",
        sha256,
      }));
  },
  async open(name) {
    const facts = sampleFacts(name);
    if (!facts) return null;
    const { path } = await findSample(name);
    return { file: `${name}.csv`, bytes: await readFile(path), reading: { truth: "class" }, k: facts.classes };
  },
};

export interface StudioOptions {
  readonly folder: string;
  readonly version: string;
  /** The port to listen on; 0 for any free port. */
  readonly port?: number;
  readonly token?: string;
  readonly uploadBytes?: number;
  readonly site?: string | undefined;
  readonly framed?: boolean | undefined;
  readonly onBug?: (error: unknown) => void;
}

export interface Studio {
  readonly workbench: Workbench;
  readonly port: number;
  readonly token: string;
  readonly address: string;
  /** Opens the project of a table. If no project has the same data, makes a new project. Afterwards `address` leads to this project. */
  open(data: string, reading: ReadingChange): Promise<{ readonly id: string }>;
  close(): Promise<void>;
}

const UPLOAD_BYTES = 200 * 2 ** 20;
const HOST = "127.0.0.1";
/**
 * Maximum size of a request's headers. Every valid address fits. Addresses that are a little too long also fit, so they get an error
 * message and not a closed connection.
 */
const MOST_HEADER_BYTES = 128 * 1024;

export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { version, token = randomBytes(24).toString("base64url"), uploadBytes = UPLOAD_BYTES } = options;
  const store = await openStore(resolve(options.folder));
  const workbench = createWorkbench({
    store,
    compute: createNodeCompute(version),
    samples: nodeSamples,
    version,
    now: () => new Date().toISOString(),
    keeps: "server",
    limits: { uploadBytes },
  });
  const folders = new Map<string, string>();
  let hosts: readonly string[] = [];
  let first: string | undefined;
  const app = createApp(workbench, {
    token,
    hosts: () => hosts,
    version,
    uploadBytes,
    site: options.site,
    framed: options.framed,
    folderOf: (sha256) => folders.get(sha256),
    first: () => first,
    ...(options.onBug ? { onBug: options.onBug } : {}),
  });
  const server = createServer(
    { maxHeaderSize: MOST_HEADER_BYTES },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  );
  let port: number;
  try {
    port = await listen(server, options.port ?? 0);
  } catch (error) {
    await workbench.close();
    throw error;
  }
  hosts = [HOST, "localhost", "[::1]"].map((host) => `${host}:${port}`);
  return {
    workbench,
    port,
    token,
    address: `http://${HOST}:${port}/?token=${encodeURIComponent(token)}`,
    async open(data, reading) {
      const project = await openData(workbench, data, reading, folders);
      first = project.id;
      return project;
    },
    async close() {
      const closed = new Promise((done) => server.close(done));
      await workbench.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE")
        fail(badInput(`Port ${port} is taken.`, { remedy: "Name another with --port, or leave it out." }));
      else if (error.code === "EACCES")
        fail(badInput(`Port ${port} may not be used.`, { remedy: "Name one above 1023 with --port." }));
      else fail(error);
    });
    server.listen(port, HOST, () => done((server.address() as AddressInfo).port));
  });
}

function unreadable(file: string, { code, message }: NodeJS.ErrnoException): Error {
  if (code === "EISDIR") return badInput("This is a folder, not a file.", { file, remedy: "Name a file in it." });
  return badInput(`The file cannot be read (${code ?? message}).`, { file });
}

async function* chunksOf(handle: FileHandle, file: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of handle.createReadStream()) yield chunk;
  } catch (error) {
    throw unreadable(file, error as NodeJS.ErrnoException);
  }
}

/** Opens a project for a file. If there is no file with the name `data`, opens a project for the sample set with this name. */
async function openData(
  workbench: Workbench,
  data: string,
  reading: ReadingChange,
  folders: Map<string, string>,
): Promise<{ id: string }> {
  const { call } = workbench;
  const handle = await open(data).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && sampleFacts(data)) return null;
    if (error.code === "ENOENT")
      throw badInput("There is no such file.", { file: data, remedy: "Check the name and the folder." });
    throw unreadable(data, error);
  });
  const asked = Object.keys(reading).length > 0 ? { reading } : {};
  const projects = await call("listProjects", {});
  if (handle === null) {
    const known = projects.find(({ name, data: { file } }) => name === data && file === `${data}.csv`);
    if (!known) return await call("createProject", { sample: data, ...asked });
    return reading && asked.reading ? await call("changeProject", { project: known.id, reading }) : known;
  }
  const file = basename(data);
  const sent = await call("upload", { name: file, bytes: chunksOf(handle, data) });
  folders.set(sent.sha256, dirname(resolve(data)));
  const known = projects.find((project) => project.data.sha256 === sent.sha256 && project.data.file === file);
  if (!known) return await call("createProject", { upload: sent.upload, ...asked });
  return asked.reading ? await call("changeProject", { project: known.id, reading }) : known;
}

/** Starts worker threads: one for tasks that a user waits for, and at least two for long tasks. */
function createNodeCompute(version: string, size = Math.max(3, availableParallelism())): Compute {
  // Threads must not inherit the options of the main process, such as `--eval`.
  return createRemoteCompute(size, () => nodePort(new Worker(workerFile(), { workerData: { version }, execArgv: [] })));
}

/** The file that a worker thread runs. Tests run the sources, but a thread always needs the built file. */
function workerFile(): URL {
  return new URL(
    import.meta.url.endsWith(".ts") ? "../dist/compute/task-worker.js" : "./compute/task-worker.js",
    import.meta.url,
  );
}
