import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { knownSample, packagedDirectory } from "./catalogue.js";
import { sha256 } from "./find.js";
import { type GetOptions, getSample } from "./get.js";
import type { Layout } from "./normalise.js";
import type { Source } from "./sources.js";
import { rawText, zip } from "./testing/raw.js";

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
  options = { dataDir: null, packagedDir: join(root, "package"), cacheDir: join(root, "cache"), sources: [source("/iris.data")] };
  answer = (_, response) => response.end(raw);
});
afterEach(() => rm(root, { recursive: true }));

function source(path: string, entry?: string): Source {
  return {
    title: "loopback",
    files: [{ url: `${base}${path}`, ...(entry === undefined ? {} : { entry }) }],
    layout,
    verified: true,
  };
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

  test("gzip, and an entry of a zip archive", async () => {
    answer = (_, response) => response.end(gzipSync(raw));
    expect((await getSample(name, options)).downloaded).toBe(true);
    await rm(join(root, "cache"), { recursive: true });
    answer = (_, response) => response.end(zip([{ name: "iris/iris.data", content: raw }]));
    expect((await getSample(name, { ...options, sources: [source("/iris.zip", "iris.data")] })).downloaded).toBe(true);
  });

  test("several files of one archive are fetched once, and their rows follow one another", async () => {
    const half = raw.indexOf("\n", raw.length / 2) + 1;
    const url = `${base}/iris.zip`;
    const files = [
      { url, entry: "a" },
      { url, entry: "b" },
    ];
    let requests = 0;
    answer = (_, response) => {
      requests++;
      response.end(
        zip([
          { name: "b", content: raw.subarray(half) },
          { name: "a", content: raw.subarray(0, half), stored: true },
        ]),
      );
    };
    await getSample(name, { ...options, sources: [{ ...source("/"), files }] });
    expect(requests).toBe(1);
  });

  test("redirects are followed, to http and https only, and not for ever", async () => {
    answer = (request, response) => {
      if (request.url === "/iris.data") response.writeHead(302, { location: "/moved" }).end();
      else response.end(raw);
    };
    expect((await getSample(name, options)).downloaded).toBe(true);
    await rm(join(root, "cache"), { recursive: true });
    answer = (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end();
    await expect(getSample(name, options)).rejects.toThrow('It leads to "file:///etc/passwd", which is neither http nor https.');
    answer = (_, response) => response.writeHead(302, { location: "/iris.data" }).end();
    await expect(getSample(name, options)).rejects.toThrow("It redirects more than 10 times.");
    answer = (_, response) => response.writeHead(302, { location: "http://[" }).end();
    await expect(getSample(name, options)).rejects.toThrow("which is no address");
    expect(await cached()).toEqual([]);
  });

  test("the next place is tried when one fails; an untried place is announced", async () => {
    answer = (request, response) => {
      if (request.url === "/gone") response.writeHead(404).end("no");
      else response.end(raw);
    };
    const got = await getSample(name, { ...options, sources: [source("/gone"), { ...source("/iris.data"), verified: false }] });
    expect(got.notices[0]).toContain("have not been tried");
  });

  test("a derived set downloads its parent", async () => {
    const letter = await readFile(join(packagedDirectory, "letter.csv"), "utf8");
    const [header = ""] = letter.split("\n", 1);
    const classes = Object.fromEntries([..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((c) => [c, c]));
    const letters: Layout = { columns: header.split(",").slice(0, -1), separator: "comma", classAt: "first", classes };
    answer = (_, response) => response.end(rawText(letter, letters));
    const got = await getSample("letters-IJL", { ...options, sources: [{ ...source("/letter"), layout: letters }] });
    expect(got).toMatchObject({ downloaded: true, place: "cache" });
    expect((await cached()).sort()).toEqual(["letter.csv", "letters-IJL.csv"]);
  });

  test("a packaged set needs no download; an unknown name and a set without places give sentences", async () => {
    expect(await getSample("wine", { dataDir: null, cacheDir: join(root, "cache") })).toMatchObject({
      place: "packaged",
      downloaded: false,
    });
    await expect(getSample("irisse", options)).rejects.toThrow('There is no sample set "irisse". Did you mean "iris"?');
    await expect(getSample("protein", { ...options, sources: [] })).rejects.toThrow(
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
    expect(await fails()).toContain(`${base}/iris.data: The server answered 404 Not Found. The file may have moved.`);
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

  test("fewer bytes than announced", async () => {
    const short: GetOptions["fetch"] = async () => new Response(new Uint8Array(10), { headers: { "content-length": "20" } });
    expect(await fails({ fetch: short })).toContain("Only 10 of 20 bytes arrived. Check the connection and try again.");
  });

  test("nobody there", async () => {
    expect(await fails({ sources: [{ ...source("/"), files: [{ url: "http://127.0.0.1:1/" }] }] })).toContain("did not begin");
  });

  test("silence before the answer and in its middle", async () => {
    answer = () => {};
    expect(await fails({ silence: 100 })).toContain("Nothing arrived for 0.1 seconds.");
    answer = (_, response) => response.write(raw.subarray(0, 100));
    expect(await fails({ silence: 100 })).toContain("Nothing arrived for 0.1 seconds.");
  });

  /** Sends a byte every few milliseconds, without an end. */
  function drip(response: ServerResponse): void {
    const timer = setInterval(() => response.write("1"), 5);
    response.on("close", () => clearInterval(timer));
  }

  test("one byte at a time: the whole has a limit, and so has the pace", async () => {
    answer = (_, response) => drip(response);
    expect(await fails({ longest: 300 })).toContain(`${base}/iris.data: It took longer than 0.3 seconds. Check the connection`);
    expect(await fails({ rateWindow: 200, leastRate: 10_000 })).toMatch(
      /It arrives too slowly: \d+ bytes in 0\.2 seconds, and 10000 bytes a second are the least\./,
    );
  });

  test("the limit on the whole counts redirects and waiting, and the pace begins with the first byte", async () => {
    answer = (request, response) => {
      if (request.url === "/iris.data") setTimeout(() => response.writeHead(302, { location: "/moved" }).end(), 250);
      else drip(response);
    };
    const seen: number[] = [];
    expect(await fails({ longest: 400, rateWindow: 200, leastRate: 1, onProgress: ({ bytes }) => seen.push(bytes) })).toContain(
      "It took longer than 0.4 seconds.",
    );
  });

  test("a redirect to a host that is not listed is not followed, though the file is there", async () => {
    let asked = 0;
    const other = createServer((_, response) => {
      asked++;
      response.end(raw);
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    try {
      const host = `127.0.0.1:${(other.address() as AddressInfo).port}`;
      const listed = base.slice("http://".length);
      for (const location of [`http://${host}/iris.data`, `//${host}/iris.data`, `http://${listed}@${host}/iris.data`]) {
        answer = (_, response) => response.writeHead(302, { location }).end();
        expect(await fails()).toContain(
          `and ${host} is none of the listed hosts (${listed}, archive.ics.uci.edu, vincentarelbundock.github.io).`,
        );
      }
      expect(asked).toBe(0);
      answer = (request, response) => {
        if (request.url === "/iris.data") response.writeHead(302, { location: `http://${host}/iris.data` }).end();
        else response.writeHead(404).end();
      };
      const both = { ...source("/iris.data"), files: [{ url: `${base}/iris.data` }, { url: `http://${host}/more.data` }] };
      await fails({ sources: [both] });
      expect(asked).toBe(2);
    } finally {
      await new Promise((done) => other.closeAllConnections() ?? other.close(done));
    }
  });

  test("a redirect never leaves https", async () => {
    const asked: string[] = [];
    const fetch: GetOptions["fetch"] = async (url) => {
      asked.push(url);
      return new Response(null, { status: 301, headers: { location: url.replace("https:", "http:") } });
    };
    const safe = { ...source("/"), files: [{ url: "https://archive.ics.uci.edu/iris.data" }] };
    expect(await fails({ sources: [safe], fetch })).toContain(
      'It leads from https to "http://archive.ics.uci.edu/iris.data", where anybody on the way could change it.',
    );
    expect(asked).toEqual(["https://archive.ics.uci.edu/iris.data"]);
  });

  test("too large, announced and not", async () => {
    expect(await fails({ sizeLimit: 1000 })).toContain("It is larger than the limit of 1000 bytes.");
    answer = (_, response) => {
      response.setHeader("content-length", raw.length);
      response.end(raw);
    };
    expect(await fails({ sizeLimit: 1000 })).toContain("It is larger than the limit of 1000 bytes.");
    answer = (_, response) => response.end(gzipSync(raw));
    expect(await fails({ sizeLimit: 3000 })).toContain("Unpacked, it is larger than the limit of 3000 bytes.");
  });

  test("another content, and a page instead of a file", async () => {
    answer = (_, response) => response.end(raw.subarray(0, raw.indexOf("\n", 500) + 1));
    expect(await fails()).toMatch(/The content is not that of the catalogue: its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}\./);
    answer = (_, response) => response.end("<html>Please log in</html>");
    expect(await fails()).toContain("No row has the expected layout.");
  });

  test("a full disk, during the download and at the end", async () => {
    const full = () => Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    expect(await fails({ write: full })).toContain("The disk is full; nothing was kept. Make room");
    let writes = 0;
    const later: GetOptions["write"] = async (file, bytes) => {
      if (writes++ > 0) return full();
      await file.write(bytes);
    };
    // One request in one piece: the second write is that of the normalised file.
    const whole: GetOptions["fetch"] = async () => new Response(new Uint8Array(raw));
    expect(await fails({ write: later, fetch: whole })).toContain("The disk is full");
    expect(writes).toBe(2);
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
