/** A real worker of the browser, for the tests of the pool. */
import { createSimdKernels } from "@coterie/kernels";
import { webPort } from "../calls.js";
import { serveStarts } from "../worker.js";

serveStarts(webPort(self as unknown as MessagePort), createSimdKernels, () => new Promise((resume) => setTimeout(resume, 0)));
