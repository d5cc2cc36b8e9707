/** A worker of the pool, as a web worker. */
import { createSimdKernels } from "@coterie/kernels";
import { serveStarts, webPort } from "@coterie/workbench";
import { pause } from "./host.browser.js";

serveStarts(webPort(self as unknown as MessagePort), createSimdKernels, pause);
