import { expect, test } from "vitest";
import { localStudio } from "./testing/local-studio.js";
import { type OpenApiPage, oddRequests } from "./testing/odd-requests.js";

const LONG = process.env.COTERIE_LONG === "1";
const COUNT = LONG ? 10_000 : 400;

/** Statuses that the page names, and 405 for methods that it does not. */
const TOLD = new Set([200, 400, 401, 403, 404, 405, 409, 413, 422]);

test(`${COUNT} requests made up from the protocol's own description: no bug, no crash, no status that it does not name`, {
  timeout: LONG ? 3_600_000 : 240_000,
}, async () => {
  const { get, base, headers, call, bugs } = await localStudio({ uploadBytes: 100_000 });
  const page = (await (await get("/openapi.json")).json()) as OpenApiPage;
  const table = `id,x,y,side\n${Array.from({ length: 30 }, (_, i) => `r${i},${(i % 2) * 5 + i / 30},${i % 3},${i % 2}`).join("\n")}\n`;
  const sent = await call("upload", { name: "small.csv", bytes: new TextEncoder().encode(table) });
  const project = await call("createProject", { upload: sent.upload, reading: { id: "id", truth: "side" } });
  await call("changeProject", { project: project.id, k: 2 });
  const ids = Array.from({ length: 6 }, (_, i) => `r${i}`);
  const { question } = await call("ask", { project: project.id, by: "ann" });
  const known = {
    project: [project.id],
    run: [1, 2, 3],
    before: [1, 2],
    after: [1, 2],
    upload: [sent.upload],
    sample: ["zoo", "nothing"],
    a: ids,
    b: ids,
    c: ids,
    by: ["ann", "bob"],
    entry: ["entry-0001", "entry-0002"],
    id: ["entry-0001", "entry-0002", "entry-0003", "entry-0004"],
    column: ["x", "y", "side", "id"],
    x: ["x"],
    y: ["y"],
    question: [question!.question, "pair.spreading.0-1.00000000"],
    algorithm: ["kmeans", "pck-means", "ward", "ccl", "clusilc", "recon", "cop-kmeans"],
    options: [{}, { k: 2 }, { k: 3, restarts: 2 }, { k: -1 }, { k: 1e9 }, { init: [[1]] }, { __proto__: 1 }],
    strategy: ["spreading", "min-max", "odd-one-out", "npu"],
    effort: [10, 1000],
    k: [1, 2, 3],
    seeds: [2],
  };
  const counts = new Map<number, number>();
  let sentCount = 0;
  for (const { path, body, ...request } of oddRequests(page, known, 7)) {
    if (sentCount++ === COUNT) break;
    // The project stays, so that the others have something to be about.
    if (request.method === "DELETE" && !path.includes("/runs/")) continue;
    const reply = await fetch(`${base}${path}`, {
      ...request,
      headers: { ...headers, ...request.headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await reply.text();
    counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
    const what = `${request.method} ${path} ${String(body).slice(0, 500)} -> ${reply.status} ${text.slice(0, 300)}`;
    expect(bugs, what).toEqual([]);
    expect(TOLD.has(reply.status), what).toBe(true);
    if (reply.status >= 400) expect(JSON.parse(text).error.message, what).toMatch(/\S/);
  }
  expect(counts.get(200)).toBeGreaterThan(COUNT / 5);
  expect((await call("project", { project: project.id })).id).toBe(project.id);
});
