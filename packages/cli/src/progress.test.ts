import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Io } from "./command.js";
import { createProgress } from "./progress.js";
import { linesOver } from "./terminal.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Progress on a terminal or into a file, what it wrote so far, and a clock to turn. */
function watched(terminal: boolean, env: Io["env"] = {}) {
  let text = "";
  const lines = linesOver({ out: async () => {}, err: (piece) => (text += piece), screen: false, colours: false });
  const io = { ...lines, terminal, env, columns: 80 } as Io;
  const progress = createProgress(io, false);
  const show = (done: number, after: number) => {
    vi.advanceTimersByTime(after);
    progress.show({ phase: "merging", done, total: 10 });
  };
  return { io, progress, show, text: () => text };
}

test("elsewhere than on a terminal: one line for each phase that takes long, however long it takes", () => {
  const { show, text, progress } = watched(false);
  show(1, 4_000);
  expect(text()).toBe("");
  for (let done = 1; done < 10; done++) show(done, 5_000);
  progress.clear();
  show(10, 5_000);
  vi.advanceTimersByTime(5_000);
  progress.show({ phase: "heights", done: 1, total: 10 });
  expect(text()).toBe("merging: 1 of 10\nheights: 1 of 10\n");
});

test("a dumb terminal gets plain lines", () => {
  const { show, text } = watched(true, { TERM: "dumb" });
  for (let i = 0; i < 3; i++) show(5, 4_000);
  expect(text()).toBe("merging: 5 of 10\n");
});

test("on a terminal: drawn when something changes, again after it was cleared, and never in front of a sentence", () => {
  const { show, text, progress, io } = watched(true);
  for (let i = 0; i < 20; i++) show(5, 200);
  expect(text().split("merging: 5 of 10")).toHaveLength(2);
  progress.clear();
  show(5, 200);
  expect(text().split("merging: 5 of 10")).toHaveLength(3);
  io.say("coterie: something else.");
  expect(text().endsWith("merging: 5 of 10\r\u001b[Kcoterie: something else.\n")).toBe(true);
});
