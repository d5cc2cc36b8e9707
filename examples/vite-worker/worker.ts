/** Clusters in a worker, so that the page stays responsive. A message "stop" takes effect between two steps. */
import { clusterAsync, constraints, pointsFromRows } from "coterie";
import type { Job, Reply } from "./protocol.js";

const abort = new AbortController();
const reply = (message: Reply): void => self.postMessage(message);

self.addEventListener("message", async ({ data }: MessageEvent<Job | "stop">) => {
  if (data === "stop") return abort.abort();
  const points = pointsFromRows(data.rows);
  const known = constraints(points, { mustLink: data.mustLink });
  try {
    const result = await clusterAsync(points, known, {
      algorithm: "pck-means",
      k: data.k,
      seed: 1,
      signal: abort.signal,
      onStep: ({ phase }) => reply({ step: phase }),
    });
    reply({ labels: result.labels, notices: result.notices });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    reply({ stopped: true });
  }
});
