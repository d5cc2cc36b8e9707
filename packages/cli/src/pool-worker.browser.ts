/** A web worker of the pool, which runs starts of a method in parallel. */
import { createSimdKernels } from "@coterie/kernels";
import { serveStarts, webPort } from "@coterie/workbench";
import { pause } from "./host.browser.js";

serveStarts(webPort(self as unknown as MessagePort), createSimdKernels, pause);
