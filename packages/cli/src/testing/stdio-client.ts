/** A client of `serveStdio` in this process: sends requests, and waits for their replies. */
import { PassThrough } from "node:stream";
import { type Frame, frameOf, framesFrom } from "../stdio/frames.js";
import { serveStdio } from "../stdio/serve.js";

export type Message = Readonly<Record<string, unknown>>;

export class StdioClient {
  readonly input = new PassThrough();
  readonly bugs: unknown[] = [];
  readonly progress: unknown[] = [];
  readonly served: Promise<boolean>;
  readonly #replies: AsyncGenerator<Frame, void, void>;
  #next = 0;

  constructor() {
    const output = new PassThrough();
    const { signal } = new AbortController();
    const write = async (bytes: Uint8Array) => void output.write(Buffer.from(bytes));
    this.served = serveStdio({ input: this.input, write, signal, onBug: (error) => this.bugs.push(error) });
    void this.served.finally(() => output.end());
    this.#replies = framesFrom(output);
  }

  send(message: Message): number {
    const id = ++this.#next;
    for (const part of frameOf({ id, ...message })) this.input.write(Buffer.from(part));
    return id;
  }

  /** The next message that is no progress. */
  async receive(): Promise<Message> {
    for (;;) {
      const { done, value } = await this.#replies.next();
      if (done) throw new Error("The server has ended.");
      const message = value.message() as Message;
      if (message.progress === undefined) return message;
      this.progress.push(message.progress);
    }
  }

  async ask(message: Message): Promise<Message> {
    this.send(message);
    return await this.receive();
  }

  end(): Promise<boolean> {
    this.input.end();
    return this.served;
  }
}
