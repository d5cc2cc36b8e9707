import { badInput, CoterieError } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { Caller, serve, WorkerEnded, webPort } from "./calls.js";

type Work = "value" | "problem" | "bug" | "until cancelled" | "never";

/** A caller of a worker in the same thread. */
function caller(): Caller {
  const { port1, port2 } = new MessageChannel();
  serve<Work, number>(webPort(port2), async (work, { signal, onStep }) => {
    if (work === "problem") throw badInput("Line 3 is no number.", { file: "t.csv", line: 3 });
    if (work === "bug") throw new TypeError("x is not a function");
    if (work === "never") return await new Promise(() => {});
    for (let step = 0; work === "until cancelled" || step < 3; step++) {
      onStep(step);
      await new Promise((resume) => setTimeout(resume));
      signal.throwIfAborted();
    }
    return work;
  });
  return new Caller(webPort(port1));
}

test("a call gives its steps in their order, then its value; several calls run side by side", async () => {
  const worker = caller();
  const steps: number[] = [];
  const first = worker.call<Work, number>("value", { onStep: (step) => steps.push(step) });
  const others = [worker.call("value"), worker.call("value")];
  expect(worker.running).toBe(3);
  expect([await first, steps, await Promise.all(others)]).toEqual(["value", [0, 1, 2], ["value", "value"]]);
  expect(worker.running).toBe(0);
  worker.end("done");
});

test("a problem comes back as the same error, a bug with its stack", async () => {
  const worker = caller();
  const problem = await worker.call("problem").catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(CoterieError);
  expect((problem as CoterieError).problem).toMatchObject({ code: "bad-input", file: "t.csv", line: 3 });
  const bug = await worker.call("bug").catch((error: unknown) => error as Error);
  expect([(bug as Error).message, (bug as Error).stack]).toEqual(["x is not a function", expect.stringContaining("calls.test")]);
  worker.end("done");
});

test("a call that is cancelled ends with the reason; others go on", async () => {
  const worker = caller();
  const controller = new AbortController();
  const reason = new Error("nobody waits");
  const onStep = () => controller.abort(reason);
  const cancelled = worker.call<Work, number>("until cancelled", { signal: controller.signal, onStep });
  const other = worker.call("value");
  await expect(cancelled).rejects.toBe(reason);
  expect(await other).toBe("value");
  worker.end("done");
});

test("a worker that ends takes all of its calls along, and takes no others", async () => {
  const worker = caller();
  const calls = [worker.call("never"), worker.call("never")].map((call) => call.catch((error: unknown) => error));
  const cause = new Error("out of memory");
  worker.end(cause);
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ cause, calls: 2 });
  expect(worker.isOver).toBe(true);
  await expect(worker.call("value")).rejects.toBeInstanceOf(WorkerEnded);
});
