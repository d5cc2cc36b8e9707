/** Bodies of requests, no longer than they may be. */
import { ReplyError } from "@coterie/workbench/protocol";

export async function bytesOf(request: Request, most: number): Promise<Uint8Array> {
  const tooLong = () =>
    new ReplyError(413, {
      code: "too-large",
      message: `That is more than the limit of ${(most / 2 ** 20).toLocaleString("en")} MB.`,
    });
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLong();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > most) throw tooLong();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** An object in JSON, in the media type that says so: a form of another page cannot send that. */
export async function objectOf(request: Request, most: number): Promise<object> {
  const wrong = (message: string) => new ReplyError(400, { code: "bad-request", message });
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) throw wrong("The body must be application/json.");
  const bytes = await bytesOf(request, most);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw wrong("The body is no JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("The body must be an object.");
  return value;
}
