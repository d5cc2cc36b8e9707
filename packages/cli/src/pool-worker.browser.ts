/** A worker of the pool, as a web worker. */
import { createSimdKernels } from "@coterie/kernels";
import { serveStarts } from "@coterie/workbench";
import { pause } from "./host.browser.js";

serveStarts(
  {
    post: (message) => self.postMessage(message),
    onMessage: (listener) => self.addEventListener("message", (event: MessageEvent) => listener(event.data)),
    onError: () => {},
    close: () => self.close(),
  },
  createSimdKernels,
  pause,
);
