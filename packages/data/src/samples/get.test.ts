import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { knownSample, packagedDirectory, type SampleDownload } from "./catalogue.js";
import { sha256 } from "./find.js";
import { type GetOptions, getSample } from "./get.js";
import type { Layout } from "./normalise.js";
import { rawText } from "./testing/raw.js";

// A packaged set stands in for one that must be downloaded: with an empty package directory it is not here.
const name = "iris-fisher";
const layout: Layout = {
  columns: ["sepal_length", "sepal_width", "petal_length", "petal_width"],
  separator: "comma",
  classAt: "last",
  classes: { "Iris-setosa": "setosa", "Iris-versicolor": "versicolor", "Iris-virginica": "virginica" },
};
let raw: Buffer;
let server: Server;
let base: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let root: string;
let options: GetOptions;

beforeAll(async () => {
  raw = Buffer.from(rawText(await readFile(join(packagedDirectory, `${name}.csv`), "utf8"), layout));
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.closeAllConnections() ?? server.close(done)));

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "coterie-get-"));
  await mkdir(join(root, "package"));
  options = { dataDir: null, packagedDir: join(root, "package"), cacheDir: join(root, "cache"), download: source("/iris.data") };
  answer = (_, response) => response.end(raw);
});
afterEach(() => rm(root, { recursive: true }));

function source(...paths: string[]): SampleDownload {
  return { files: paths.map((path) => ({ url: `${base}${path}` })), layout };
}

const cached = () => readdir(join(root, "cache"));

describe("getSample", () => {
  test("downloads, normalises, checks and keeps a set; the second time it is here", async () => {
    const seen: { bytes: number; total: number | null }[] = [];
    answer = (_, response) => {
      response.setHeader("content-length", raw.length);
      response.end(raw);
    };
    const got = await getSample(name, { ...options, onProgress: (progress) => seen.push(progress) });
    expect(got).toMatchObject({ downloaded: true, place: "cache", path: join(root, "cache", `${name}.csv`), notices: [] });
    expect(sha256(await readFile(got.path))).toBe(knownSample(name).sha256);
    expect(await cached()).toEqual([`${name}.csv`]);
    expect(seen[0]).toMatchObject({ bytes: 0, total: raw.length });
    expect(seen.at(-1)).toMatchObject({ bytes: raw.length, total: raw.length });
    answer = (_, response) => response.destroy();
    expect(await getSample(name, options)).toMatchObject({ downloaded: false, place: "cache" });
  });

  test("the rows of several files follow one another; redirects are followed, but not for ever", async () => {
    const half = raw.indexOf("\n", raw.length / 2) + 1;
    answer = (request, response) => {
      if (request.url === "/a") response.writeHead(302, { location: "/moved" }).end();
      else response.end(request.url === "/moved" ? raw.subarray(0, half) : raw.subarray(half));
    };
    expect((await getSample(name, { ...options, download: source("/a", "/b") })).downloaded).toBe(true);
    await rm(join(root, "cache"), { recursive: true });
    answer = (_, response) => response.writeHead(302, { location: "/iris.data" }).end();
    await expect(getSample(name, options)).rejects.toThrow("(redirect count exceeded)");
    answer = (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end();
    await expect(getSample(name, options)).rejects.toThrow("The download broke off or did not begin");
    expect(await cached()).toEqual([]);
  });

  test("a derived set downloads its parent", async () => {
    const letter = await readFile(join(packagedDirectory, "letter.csv"), "utf8");
    const [header = ""] = letter.split("\n", 1);
    const classes = Object.fromEntries([..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((c) => [c, c]));
    const letters: Layout = { columns: header.split(",").slice(0, -1), separator: "comma", classAt: "first", classes };
    answer = (_, response) => response.end(rawText(letter, letters));
    const got = await getSample("letters-IJL", { ...options, download: { ...source("/letter"), layout: letters } });
    expect(got).toMatchObject({ downloaded: true, place: "cache" });
    expect((await cached()).sort()).toEqual(["letter.csv", "letters-IJL.csv"]);
  });

  test("a packaged set needs no download; an unknown name and a set without places give sentences", async () => {
    expect(await getSample("wine", { dataDir: null, cacheDir: join(root, "cache") })).toMatchObject({
      place: "packaged",
      downloaded: false,
    });
    await expect(getSample("irisse", options)).rejects.toThrow('There is no sample set "irisse". Did you mean "iris"?');
    await expect(getSample("protein", { ...options, download: null })).rejects.toThrow(
      'No public download of the sample set "protein" is known.',
    );
    await expect(readdir(join(root, "cache"))).rejects.toThrow();
  });
});

describe("each failure leaves nothing and says what to do", () => {
  async function fails(more: Partial<GetOptions> = {}): Promise<string> {
    const error = await getSample(name, { ...options, ...more }).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error?.name).toBe("CoterieError");
    expect(await cached()).toEqual([]);
    expect(error!.message).toContain(`put ${name}.csv into the directory that COTERIE_DATA names`);
    return error!.message;
  }

  test("HTTP errors", async () => {
    answer = (_, response) => response.writeHead(404).end("no");
    expect(await fails()).toContain(`${base}/iris.data: The server answered 404 Not Found. The file has perhaps moved.`);
    answer = (_, response) => response.writeHead(503).end("no");
    expect(await fails()).toContain("The server answered 503 Service Unavailable. Try again later.");
  });

  test("a connection that is cut, with and without a length", async () => {
    answer = (_, response) => {
      response.setHeader("content-length", raw.length);
      response.write(raw.subarray(0, 1000), () => response.destroy());
    };
    expect(await fails()).toMatch(
      /broke off or did not begin \(.+\)\. Check the connection and try again\.|Only 1000 of \d+ bytes arrived/,
    );
    answer = (_, response) => {
      response.write(raw.subarray(0, 1000), () => response.destroy());
    };
    expect(await fails()).toContain("The download broke off");
  });

  test("nobody there", async () => {
    expect(await fails({ download: { files: [{ url: "http://127.0.0.1:1/" }], layout } })).toContain("did not begin");
  });

  test("silence before the answer and in its middle", async () => {
    answer = () => {};
    expect(await fails({ silence: 100 })).toContain("Nothing arrived for 0.1 seconds.");
    answer = (_, response) => response.write(raw.subarray(0, 100));
    expect(await fails({ silence: 100 })).toContain("Nothing arrived for 0.1 seconds.");
  });

  test("one byte at a time: the whole has a limit", async () => {
    answer = (_, response) => {
      const timer = setInterval(() => response.write("1"), 5);
      response.on("close", () => clearInterval(timer));
    };
    expect(await fails({ longest: 300 })).toContain(
      `${base}/iris.data: The download took longer than 0.3 seconds. Check the connection`,
    );
  });

  test("too large", async () => {
    expect(await fails({ sizeLimit: 1000 })).toContain("The file is larger than the limit of 1000 bytes.");
  });

  test("another content, and a page instead of a file", async () => {
    answer = (_, response) => response.end(raw.subarray(0, raw.indexOf("\n", 500) + 1));
    expect(await fails()).toMatch(/The content differs from the catalogue: its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}\./);
    answer = (_, response) => response.end("<html>Please log in</html>");
    expect(await fails()).toContain("No row has the expected layout.");
  });

  test("a full disk", async () => {
    const full = () => Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    expect(await fails({ write: full })).toContain("The disk is full; nothing was saved. Free some space");
  });

  test("an abort ends with the signal's reason", async () => {
    const controller = new AbortController();
    answer = (_, response) => response.write(raw.subarray(0, 100), () => controller.abort(new Error("enough")));
    await expect(getSample(name, { ...options, signal: controller.signal })).rejects.toThrow("enough");
    expect(await cached()).toEqual([]);
  });

  test("a cache that is no directory", async () => {
    await writeFile(join(root, "cache"), "a file");
    await expect(getSample(name, options)).rejects.toThrow(/could not be written \(\w+\)/);
  });
});
