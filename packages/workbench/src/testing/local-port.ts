/** A worker that is not one: the other end of a message channel in the same thread, for tests in any engine. */
import { createSimdKernels } from "@coterie/kernels";
import { type Port, webPort } from "../calls.js";
import { serveStarts } from "../worker.js";

export function localPort(): Port {
  const { port1, port2 } = new MessageChannel();
  serveStarts(webPort(port2), createSimdKernels, () => new Promise((resume) => setTimeout(resume, 0)));
  return webPort(port1);
}
