/**
 * The worker of a tab. One worker of all tabs holds the lock and answers for all; when its tab closes, the next one takes over
 * from the browser's storage.
 */
import { nextTurn, readBytes } from "@coterie/data/browser";
import { createSimdKernels } from "@coterie/kernels";
import { createLocalCompute, createMemoryStore, createWorkbench, type Store } from "@coterie/workbench";
import { serveChannel } from "./host.js";
import { openIndexedStore } from "./indexed-store.js";
import { CHANNEL, LOCK } from "./messages.js";
import { siteSamples } from "./samples.js";

const VERSION = "0.1.0";

/** Without storage of its own, as in private browsing, projects last as long as the page. */
async function storeOf(): Promise<{ readonly store: Store; readonly keeps: "browser" | "memory" }> {
  try {
    return { store: await openIndexedStore("coterie"), keeps: "browser" };
  } catch {
    return { store: createMemoryStore(), keeps: "memory" };
  }
}

async function host(): Promise<void> {
  const { store, keeps } = await storeOf();
  const kernels = createSimdKernels();
  const compute = createLocalCompute({ kernels: () => kernels, read: readBytes, pause: nextTurn, version: VERSION });
  const now = () => new Date().toISOString();
  const workbench = createWorkbench({ store, compute, samples: siteSamples, version: VERSION, now, keeps });
  serveChannel(workbench, new BroadcastChannel(CHANNEL));
  // The lock is held as long as the tab lives.
  await new Promise(() => {});
}

void navigator.locks.request(LOCK, host);
