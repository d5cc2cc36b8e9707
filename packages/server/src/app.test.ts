import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { routes } from "@coterie/workbench/protocol";
import { createClient } from "@libsql/client";
import { expect, test } from "vitest";
import { PROJECT_FILE } from "./sqlite/folder.js";
import { temporaryFolder } from "./testing/folders.js";
import { localStudio } from "./testing/local-studio.js";

test("from a table to exported labels over HTTP, with live events", async () => {
  const { call, events, bugs } = await localStudio();
  const bytes = new TextEncoder().encode(
    `x,y\n${Array.from({ length: 40 }, (_, i) => `${(i % 2) * 9 + i / 40},${i % 7}`).join("\n")}\n`,
  );
  const sent = await call("upload", { name: "two.csv", bytes });
  const { id } = await call("createProject", { upload: sent.upload });
  const ending = new AbortController();
  const seen: string[] = [];
  const listening = (async () => {
    for await (const event of events(id, ending.signal)) {
      seen.push(event.type === "run" ? event.run.state : event.type);
      if (event.type === "run" && event.run.state === "done") return;
    }
  })();
  while (seen.length === 0) await new Promise((resume) => setTimeout(resume, 10));
  const state = await call("ask", { project: id, by: "ann" });
  await call("answer", { project: id, question: state.question!.question, answer: "different", by: "ann", id: "answer-0001" });
  await call("startRun", { project: id, algorithm: "pck-means", options: { k: 2 } });
  await listening;
  ending.abort();
  expect(seen).toEqual(expect.arrayContaining(["hello", "knowledge", "waiting", "done"]));
  const labels = await call("export", { project: id, kind: "labels" });
  expect(labels.text.split("\n")).toHaveLength(42);
  const page = await call("export", { project: id, kind: "report-html" });
  expect(page.text).toMatch(/^<!doctype html>/i);
  expect((await call("map", { project: id, space: "run" })).n).toBe(40);
  expect(bugs).toEqual([]);
});

test("a long run in a worker is cancelled within a second or two, and the workers go on", async () => {
  const { call } = await localStudio();
  const { id } = await call("createProject", { sample: "digits" });
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 40, restarts: 100_000 } });
  while ((await call("run", { project: id, run: 1 })).run.state === "waiting")
    await new Promise((resume) => setTimeout(resume, 20));
  expect((await call("cancelRun", { project: id, run: 1 })).state).toBe("cancelled");
  await call("startRun", { project: id, algorithm: "kmeans", options: { k: 3, restarts: 1 } });
  for (;;) {
    const { run } = await call("run", { project: id, run: 2 });
    if (run.state === "done") break;
    expect(["waiting", "running"]).toContain(run.state);
    await new Promise((resume) => setTimeout(resume, 20));
  }
});

test("without the token nobody gets in; the pages themselves hold no secret", async () => {
  const { base, get } = await localStudio();
  for (const path of ["/api/info", "/api/projects", "/openapi.json", "/api/projects/x/events"]) {
    expect((await fetch(`${base}${path}`)).status).toBe(401);
    expect((await fetch(`${base}${path}`, { headers: { authorization: "Bearer wrong!" } })).status).toBe(401);
  }
  expect((await fetch(`${base}/api/info?token=secret`)).status).toBe(200);
  expect((await get("/openapi.json")).status).toBe(200);
  const page = await fetch(base);
  expect([page.status, (await page.text()).includes("secret")]).toEqual([200, false]);
});

/** `fetch` does not let a host be made up. */
function rawGet(port: number, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode!);
    });
    sent.on("error", reject).end();
  });
}

test("the printed address leads to the project of the table that was opened, and to no project without the token", async () => {
  const { studio } = await localStudio();
  const at = async (address: string) => {
    const { status, headers } = await fetch(address, { redirect: "manual" });
    return [status, headers.get("location")];
  };
  expect(await at(studio.address)).toEqual([200, null]);
  const { id } = await studio.open("penguins", {});
  expect(await at(studio.address)).toEqual([302, `/?token=${studio.token}&project=${id}`]);
  expect(await at(`${studio.address}&project=${id}`)).toEqual([200, null]);
  expect(await at(studio.address.replace(studio.token, "wrong"))).toEqual([200, null]);
});

test("a name that somebody else's DNS points here is refused, and so is a page of somebody else's", async () => {
  const { studio } = await localStudio();
  const { port } = studio;
  const authorization = "Bearer secret";
  const at = (headers: Record<string, string>, path = "/api/info") => rawGet(port, path, { authorization, ...headers });
  expect(await at({ host: `127.0.0.1:${port}` })).toBe(200);
  expect(await at({ host: `localhost:${port}` })).toBe(200);
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    `127.0.0.1:${port + 1}`,
    "127.0.0.1",
    `127.0.0.1.evil.example:${port}`,
  ])
    expect([host, await at({ host }), await at({ host }, "/")]).toEqual([host, 403, 403]);
  const host = `127.0.0.1:${port}`;
  for (const origin of [
    "http://evil.example",
    "null",
    `https://${host}`,
    `http://127.0.0.1:${port + 1}`,
    `http://${host}.evil.example`,
  ])
    expect([origin, await at({ host, origin })]).toEqual([origin, 403]);
  expect(await at({ host, origin: `http://${host}` })).toBe(200);
  expect(await at({ host, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(403);
});

test("every reply has a policy without inline script, and is not taken for anything else", async () => {
  const { get } = await localStudio();
  for (const path of ["/", "/api/info", "/nothing.js", "/api/nothing"]) {
    const { headers } = await get(path);
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).toContain("frame-ancestors 'none'");
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
  }
});

test("no path leads out of the studio's pages or the project folder", async () => {
  const folder = temporaryFolder();
  const site = join(folder, "dist");
  mkdirSync(join(site, "assets"), { recursive: true });
  writeFileSync(join(site, "index.html"), "<!doctype html><title>studio</title>");
  writeFileSync(join(site, "assets", "app.js"), "1;");
  writeFileSync(join(folder, "private.txt"), "secret words");
  symlinkSync(join(folder, "private.txt"), join(site, "linked.txt"));
  const { studio } = await localStudio({ site });
  const raw = (path: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      request({ host: "127.0.0.1", port: studio.port, path, headers: { authorization: "Bearer secret" } }, (reply) => {
        let text = "";
        reply.on("data", (piece) => (text += piece)).on("end", () => resolve({ status: reply.statusCode!, text }));
      })
        .on("error", reject)
        .end();
    });
  expect(await raw("/assets/app.js")).toEqual({ status: 200, text: "1;" });
  expect((await raw("/some/page")).text).toContain("<title>studio</title>");
  const ways = [
    "/../private.txt",
    "/..%2fprivate.txt",
    "/%2e%2e/private.txt",
    "/assets/../../private.txt",
    "//private.txt",
    "/linked.txt",
    "/..\\private.txt",
    "/assets/%00",
  ];
  for (const way of ways) expect([way, (await raw(way)).text.includes("secret words")]).toEqual([way, false]);
  for (const way of ["/api/projects/..%2f..%2fetc", "/api/projects/%2e%2e/rows?rows=0"])
    expect([400, 404]).toContain((await raw(way)).status);
});

test("images beside the data are shown; nothing else is read for a cell", async () => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  mkdirSync(join(data, "pictures"), { recursive: true });
  writeFileSync(join(data, "pictures", "a.png"), "PNG");
  writeFileSync(join(folder, "outside.png"), "OUTSIDE");
  symlinkSync(join(folder, "outside.png"), join(data, "link.png"));
  const cells = ["pictures/a.png", "../outside.png", "link.png", join(folder, "outside.png"), "none.png", "table.csv"];
  writeFileSync(join(data, "table.csv"), `x,photo\n${cells.map((cell, i) => `${i},${cell}`).join("\n")}\n`);
  const { studio, call, base } = await localStudio();
  const { id } = await studio.open(join(data, "table.csv"), { ignore: ["photo"] });
  const rows = await call("rows", { project: id, rows: "0,1,2,3,4,5" });
  expect(rows.map(({ images }) => Object.keys(images ?? {}))).toEqual([["photo"], [], [], [], [], []]);
  const address = rows[0]!.images!.photo!;
  const image = await fetch(`${base}${address}`);
  expect([image.status, image.headers.get("content-type"), await image.text()]).toEqual([200, "image/png", "PNG"]);
  expect(image.headers.get("content-security-policy")).toContain("sandbox");
  expect((await fetch(`${base}${address.replace("/0/", "/1/")}`)).status).toBe(401);
  expect((await fetch(`${base}${address.split("?")[0]}?key=x`)).status).toBe(401);
});

test("an upload has a limit, whether it says its length or not; bodies must be JSON objects", async () => {
  const { base, headers, call } = await localStudio({ uploadBytes: 1_000 });
  await expect(call("upload", { name: "big.csv", bytes: new Uint8Array(1_001) })).rejects.toMatchObject({ status: 413 });
  const piece = new Uint8Array(300);
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(piece);
    },
  });
  const endless = fetch(`${base}/api/uploads?name=x.csv`, {
    method: "POST",
    headers,
    body: stream,
    duplex: "half",
  } as RequestInit);
  expect((await endless).status).toBe(413);
  expect((await call("info", {})).limits.uploadBytes).toBe(1_000);
  const post = (body: string, type = "application/json") =>
    fetch(`${base}/api/projects`, { method: "POST", headers: { ...headers, "content-type": type }, body });
  for (const reply of [await post("{"), await post("[]"), await post("null"), await post("{}", "text/plain"), await post('"x"')])
    expect(reply.status).toBe(400);
  const wrong = await fetch(`${base}/api/info`, { method: "DELETE", headers });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
});

test("the page that describes the protocol has every route, and the replies are as it says", async () => {
  const { get, call } = await localStudio();
  const sent = await get("/openapi.json");
  expect(sent.headers.get("cache-control")).toBe("no-store");
  const page = (await sent.json()) as { openapi: string; paths: Record<string, unknown> };
  expect(page.openapi).toBe("3.1.0");
  for (const { path } of Object.values(routes)) expect(page.paths).toHaveProperty([path]);
  const info = await call("info", {});
  expect(routes.info.reply.parse(info)).toEqual(info);
  expect(info.samples[0]!.name).toBe("penguins");
});

test("two studios on two folders know nothing of each other; one that is opened again has everything", async () => {
  const folder = temporaryFolder();
  const first = await localStudio({ folder });
  const { id } = await first.studio.open("iris-fisher", {});
  expect((await first.studio.open("iris-fisher", {})).id).toBe(id);
  await first.studio.close();
  const again = await localStudio({ folder });
  expect((await again.call("listProjects", {})).map((project) => project.id)).toEqual([id]);
  const other = await localStudio();
  expect(await other.call("listProjects", {})).toEqual([]);
});

/** Sends the beginning of an upload, then gives up. */
function brokenUpload(port: number): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: "Bearer secret", "content-length": "100000" };
    const sent = request({ host: "127.0.0.1", port, path: "/api/uploads?name=x.csv", method: "POST", headers });
    sent.on("error", () => undefined).on("close", () => resolve());
    sent.write("x,y\n", () => sent.destroy());
  });
}

test("an upload that breaks off is no bug and leaves nothing behind", async () => {
  const folder = temporaryFolder();
  const { studio, bugs } = await localStudio({ folder });
  await Promise.all(Array.from({ length: 5 }, () => brokenUpload(studio.port)));
  await expect.poll(() => readdirSync(join(folder, "data"))).toEqual([]);
  expect(bugs).toEqual([]);
});

test("projects made at the same moment, while one of the same file is deleted, are all there with their tables", async () => {
  const { call } = await localStudio();
  const bytes = new TextEncoder().encode("x,y\n1,2\n3,4\n5,6\n");
  const make = async () => {
    const { upload } = await call("upload", { name: "table.csv", bytes });
    return (await call("createProject", { upload })).id;
  };
  const gone = await make();
  const made = await Promise.all([make(), make(), make(), call("deleteProject", { project: gone }), make()]);
  const ids = made.filter((each) => typeof each === "string");
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(await call("rows", { project: id, rows: "2" })).toHaveLength(1);
});

test("a project that is damaged, or whose data file is missing, is listed with what is wrong; the others work; it can be deleted", async () => {
  const folder = temporaryFolder();
  const first = await localStudio({ folder });
  const make = async (name: string) => {
    const { upload, sha256 } = await first.call("upload", {
      name,
      bytes: new TextEncoder().encode(`x,y\n1,2\n3,4\n${name.length},6\n`),
    });
    return { id: (await first.call("createProject", { upload })).id, sha256 };
  };
  const [good, torn, bare] = [await make("good.csv"), await make("torn-1.csv"), await make("bare-of-data.csv")];
  await first.studio.close();
  const client = createClient({ url: pathToFileURL(join(folder, PROJECT_FILE)).href });
  await client.execute(`UPDATE projects SET body = cast(x'7bff7d' AS TEXT) WHERE id = '${torn.id}'`);
  client.close();
  rmSync(join(folder, "data", bare.sha256));
  const { call, bugs } = await localStudio({ folder });
  const listed = await call("listProjects", {});
  const problems = Object.fromEntries(listed.map(({ id, problem }) => [id, problem]));
  expect(problems).toEqual({
    [good.id]: undefined,
    [torn.id]: expect.stringContaining("a byte that is no UTF-8"),
    [bare.id]: expect.stringContaining(`bring back the file data/${bare.sha256}`),
  });
  expect(await call("rows", { project: good.id, rows: "0" })).toHaveLength(1);
  for (const project of [torn.id, bare.id]) {
    await expect(call("rows", { project, rows: "0" })).rejects.toMatchObject({ status: 409, problem: { code: "damaged" } });
    await call("deleteProject", { project });
  }
  expect((await call("listProjects", {})).map(({ id }) => id)).toEqual([good.id]);
  expect(bugs).toEqual([]);
});
