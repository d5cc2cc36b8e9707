/** Workers that die, and what becomes of their tasks. */
import { expect, test } from "vitest";
import type { Port } from "../calls.js";
import type { TableSource } from "./compute.js";
import { createRemoteCompute, type TaskWork } from "./remote-compute.js";

interface Message {
  readonly call: number;
  readonly input: Extract<TaskWork, { type: "task" }>;
}

const source: TableSource = {
  key: "t",
  file: "t.csv",
  reading: { scale: "none", missing: "drop" },
  load: async () => new Uint8Array(),
};

/** A worker that answers every task with its name, but for one name, of which it dies. */
function mortalWorker(deadly: string, why: string): Port {
  let isDead = false;
  let hear: (message: unknown) => void = () => {};
  let fail: (error: Error) => void = () => {};
  return {
    post(message) {
      const { call, input } = message as Message;
      setTimeout(() => {
        if (isDead) return;
        if (input.name !== deadly) return hear({ call, value: input.name });
        isDead = true;
        fail(new Error(why));
      });
    },
    onMessage(listener) {
      hear = listener;
    },
    onError(listener) {
      fail = listener;
    },
    close() {
      isDead = true;
    },
  };
}

test("a worker that dies of memory takes only the task that it died of, in a sentence; the others are done elsewhere", async () => {
  const compute = createRemoteCompute(3, () =>
    mortalWorker("columns", "Worker terminated due to reaching memory limit: JS heap out of memory"),
  );
  const run = (name: "columns" | "facts" | "import") => compute.run(source, name, {} as never);
  const [dead, ...others] = await Promise.allSettled([run("columns"), run("facts"), run("import"), run("facts")]);
  expect(dead).toMatchObject({
    status: "rejected",
    reason: { status: 422, message: "This needs more memory than there is, and was given up; everything else goes on." },
  });
  expect(others.map((each) => each.status === "fulfilled" && each.value)).toEqual(["facts", "import", "facts"]);
  expect(await run("facts")).toBe("facts");
  await compute.close();
});

test("a search for a method leaves the first worker to what people wait for", async () => {
  const posted: string[][] = [];
  const compute = createRemoteCompute(3, () => {
    const names: string[] = [];
    posted.push(names);
    const worker = mortalWorker("none", "");
    return {
      ...worker,
      post: (message) => {
        names.push((message as Message).input.name);
        worker.post(message);
      },
    };
  });
  await Promise.all([compute.run(source, "advise", {} as never), compute.run(source, "ask", {} as never)]);
  expect(posted.toSorted()).toEqual([["advise"], ["ask"]]);
  await compute.close();
});

test("a worker that dies of a bug says which", async () => {
  const compute = createRemoteCompute(2, () => mortalWorker("facts", "x is not a function"));
  await expect(compute.run(source, "facts", {})).rejects.toThrow("x is not a function");
  await compute.close();
});
