/**
 * The loop of `coterie serve --stdio`: requests in, replies out, one request after the other. Progress of the running request and
 * cancel messages pass meanwhile. The loop ends when its input ends, and cancels the running request then.
 */
import { badInput, CoterieError } from "@coterie/core/errors";
import type { Step } from "@coterie/core/internal";
import { nearestName } from "@coterie/core/names";
import { replyTo } from "@coterie/workbench";
import { ANSWERS, type Reply, type Watched } from "./answers.js";
import { Dialogues } from "./dialogues.js";
import { BrokenStream, type Frame, frameOf, framesFrom } from "./frames.js";
import { checked, isRequest, REQUESTS, type RequestName, type RequestOf } from "./requests.js";

/** Milliseconds between two progress messages. */
const BETWEEN = 100;

export interface Stdio {
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Ends the loop, as the end of the input does. */
  readonly signal: AbortSignal;
  /** Receives errors that are no mistakes of the client. */
  readonly onBug: (error: unknown) => void;
}

type Id = string | number | null;

/** Resolves to false if the stream was broken, so that no frame after it could be read. */
export async function serveStdio(stdio: Stdio): Promise<boolean> {
  const dialogues = new Dialogues();
  const pending = new Map<Id, AbortController>();
  let last = Promise.resolve();
  const end = () => {
    for (const controller of pending.values()) controller.abort(new Error("The input ended."));
  };
  stdio.signal.addEventListener("abort", end);
  try {
    for await (const frame of framesFrom(stdio.input)) {
      const id = idOf(frame.json.id);
      if (frame.json.type === "cancel") {
        pending.get(id)?.abort(new DOMException("The request was cancelled.", "AbortError"));
        continue;
      }
      const controller = new AbortController();
      pending.set(id, controller);
      last = last.then(() => replied(frame, id, controller.signal, dialogues, stdio)).finally(() => pending.delete(id));
    }
    return true;
  } catch (error) {
    if (stdio.signal.aborted) return true;
    if (!(error instanceof BrokenStream)) throw error;
    await send({ id: null, error: { code: "broken-stream", message: error.message } }, stdio);
    return false;
  } finally {
    end();
    await last;
    await dialogues.closeAll();
    stdio.signal.removeEventListener("abort", end);
  }
}

function idOf(id: unknown): Id {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

async function replied(frame: Frame, id: Id, signal: AbortSignal, dialogues: Dialogues, stdio: Stdio): Promise<void> {
  try {
    signal.throwIfAborted();
    const watched = { signal, onStep: throttled((progress) => send({ id, progress }, stdio)) };
    const reply = await answered(frame, watched, dialogues);
    signal.throwIfAborted();
    await send({ id, reply }, stdio);
  } catch (error) {
    await send({ id, error: problemOf(error, signal, stdio) }, stdio);
  }
}

function throttled(report: (step: Step) => Promise<void>): (step: Step) => void {
  let last = performance.now();
  return (step) => {
    const now = performance.now();
    if (now - last < BETWEEN) return;
    last = now;
    void report(step);
  };
}

async function answered(frame: Frame, watched: Watched, dialogues: Dialogues): Promise<Reply> {
  const { type } = frame.json;
  if (!isRequest(type)) throw unknownRequest(type);
  const request = checked(type, frame.message());
  return await answerTo(type, request, watched, dialogues);
}

function answerTo(type: RequestName, request: unknown, watched: Watched, dialogues: Dialogues): Promise<Reply> {
  switch (type) {
    case "ask":
      return dialogues.ask(request as RequestOf<"ask">, watched);
    case "answer":
      return dialogues.answer(request as RequestOf<"answer">, watched);
    case "undo":
      return dialogues.undo(request as RequestOf<"undo">, watched);
    case "clusters":
      return dialogues.clusters(request as RequestOf<"clusters">, watched);
    case "close":
      return dialogues.close(request as RequestOf<"close">);
    default:
      return (ANSWERS[type] as (request: unknown, watched: Watched) => Promise<Reply>)(request, watched);
  }
}

function unknownRequest(type: unknown): Error {
  const near = typeof type === "string" ? nearestName(type, REQUESTS) : undefined;
  return badInput(`There is no request ${JSON.stringify(type) ?? "without a type"}.`, {
    remedy: `${near === undefined ? "" : `Did you mean "${near}"? `}The requests are ${REQUESTS.join(", ")} and cancel.`,
  });
}

function problemOf(error: unknown, signal: AbortSignal, { onBug }: Stdio): Reply {
  if (signal.aborted) return { code: "cancelled", message: "The request was cancelled." };
  const known = replyTo(error);
  if (known) return { ...known.problem };
  // A request can need more memory than there is; the process goes on.
  if (error instanceof RangeError && /allocation|array length|memory/i.test(error.message))
    return { code: "bad-input", message: `There is not enough memory for this request (${error.message}).` };
  onBug(error);
  const what = error instanceof Error && !(error instanceof CoterieError) ? error.message : String(error);
  return { code: "bug", message: `This is a bug in Coterie, please report it: ${what}` };
}

async function send(message: Readonly<Record<string, unknown>>, { write }: Stdio): Promise<void> {
  // All parts of a frame are written in one go, so that frames of progress and replies do not mix.
  await Promise.all(Array.from(frameOf(message), write));
}
