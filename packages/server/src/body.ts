/** Bodies of requests, no longer than they may be. */
import { gathered } from "@coterie/workbench";
import { ReplyError } from "@coterie/workbench/protocol";

/** A body as it arrives. */
export async function* chunksOf(request: Request, most: number): AsyncGenerator<Uint8Array, void, void> {
  const tooLong = () =>
    new ReplyError(413, {
      code: "too-large",
      message: `That is more than the limit of ${(most / 2 ** 20).toLocaleString("en")} MB.`,
    });
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLong();
  let length = 0;
  for await (const chunk of arriving(request)) {
    length += chunk.length;
    if (length > most) throw tooLong();
    yield chunk;
  }
}

/** The sender may give up, or the connection may break: that is nobody's bug. */
async function* arriving({ body }: Request): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield chunk;
  } catch {
    throw new ReplyError(400, { code: "broken-off", message: "The request broke off before all of it had arrived." });
  }
}

/** An object in JSON, in the media type that says so: a form of another page cannot send that. */
export async function objectOf(request: Request, most: number): Promise<object> {
  const wrong = (message: string) => new ReplyError(400, { code: "bad-request", message });
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) throw wrong("The body must be application/json.");
  const bytes = await gathered(chunksOf(request, most));
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw wrong("The body is no JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("The body must be an object.");
  return value;
}
