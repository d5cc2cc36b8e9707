import { expect, test } from "vitest";
import { httpCall } from "./http-client.js";

/** A call to a server that answers with this body, after which the connection breaks off. */
function callTo(status: number, part: string) {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(part));
      controller.error(new DOMException("given up", "AbortError"));
    },
  });
  return httpCall({ base: "http://127.0.0.1", fetch: async () => new Response(body, { status }) });
}

test("a good reply that breaks off is a failure, never an empty answer", async () => {
  await expect(callTo(200, '[{"row":')("rows", { project: "p", rows: "0" })).rejects.toThrow("given up");
});

test("a refusal that breaks off still says its status", async () => {
  await expect(callTo(503, "{")("rows", { project: "p", rows: "0" })).rejects.toMatchObject({ name: "ReplyError", status: 503 });
});
