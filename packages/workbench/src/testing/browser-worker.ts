/** A real worker of the browser, for the tests of the pool. */
import { createSimdKernels } from "@coterie/kernels";
import { serveStarts } from "../worker.js";

serveStarts(
  {
    post: (message) => self.postMessage(message),
    onMessage: (listener) => {
      self.onmessage = (event: MessageEvent) => listener(event.data);
    },
    onError: () => {},
    close: () => self.close(),
  },
  createSimdKernels,
  () => new Promise((resume) => setTimeout(resume, 0)),
);
