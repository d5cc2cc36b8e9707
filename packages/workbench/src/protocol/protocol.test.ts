import { expect, test } from "vitest";
import { majorityOf } from "./answers.js";
import { requestOf } from "./http-client.js";
import { openApi } from "./openapi.js";
import { routes } from "./routes.js";

test("an input goes to path, query and body as the route says", () => {
  expect(requestOf("rows", { project: "iris", rows: "1,2" }, "http://x").url).toBe("http://x/api/projects/iris/rows?rows=1%2C2");
  const { url, init } = requestOf("startRun", { project: "iris", algorithm: "ccl", options: { k: 3 } }, "");
  expect([url, init.method, init.body]).toEqual(["/api/projects/iris/runs", "POST", '{"algorithm":"ccl","options":{"k":3}}']);
  const upload = requestOf("upload", { name: "a b.csv", bytes: Uint8Array.of(1) }, "");
  expect([upload.url, upload.init.body]).toEqual(["/api/uploads?name=a+b.csv", Uint8Array.of(1)]);
});

test("every route is in the OpenAPI page, with its parameters and a schema of its reply", () => {
  const page = openApi("0.1.0") as { paths: Record<string, Record<string, { operationId: string; parameters: unknown[] }>> };
  const ids = Object.values(page.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(ids.sort()).toEqual([...Object.keys(routes), "events"].sort());
  const rows = page.paths["/api/projects/{project}/rows"]!.get!;
  expect(rows.parameters).toMatchObject([
    { name: "project", in: "path", required: true },
    { name: "rows", in: "query", required: true, schema: { type: "string" } },
  ]);
  const find = page.paths["/api/projects/{project}/find"]!.get!;
  expect(find.parameters).toMatchObject([
    {},
    { name: "text" },
    { name: "most", required: false, schema: { type: "integer", minimum: 1, maximum: 200 } },
  ]);
  expect(JSON.stringify(page)).not.toContain("$ref");
});

test("a majority, a tie, and the confidence of those who agree", () => {
  const say = (answer: "same" | "different" | "unsure", confidence?: number) => ({ answer, confidence });
  expect(majorityOf([say("same", 0.6), say("same", 0.8), say("different", 1)])).toMatchObject({
    answer: "same",
    votes: { same: 2, different: 1 },
    confidence: 0.7,
  });
  expect(majorityOf([say("same"), say("different"), say("unsure")]).answer).toBe("unsure");
  expect(majorityOf([say("unsure"), say("unsure"), say("different")]).answer).toBe("different");
  expect(majorityOf([say("unsure"), say("unsure")]).answer).toBe("unsure");
});
