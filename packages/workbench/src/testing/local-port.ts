/** A worker that is not one: the other end of a message channel in the same thread, for tests in any engine. */
import { createSimdKernels } from "@coterie/kernels";
import type { Port } from "../pool.js";
import { serveStarts } from "../worker.js";

export function localPort(): Port {
  const { port1, port2 } = new MessageChannel();
  serveStarts(portOver(port2), createSimdKernels, () => new Promise((resume) => setTimeout(resume, 0)));
  return portOver(port1);
}

function portOver(port: MessagePort): Port {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.onmessage = (event) => listener(event.data);
    },
    onError: () => {},
    close: () => port.close(),
  };
}
