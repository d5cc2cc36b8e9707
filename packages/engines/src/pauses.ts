/** Pauses in long work, so that signals are handled. */

/** Longest time between two pauses, in milliseconds. */
const LONGEST = 50;

/** A function for loops over rows: after 50 ms it lets the event loop run, and then throws if the signal is aborted. */
export function pauses(signal?: AbortSignal): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < LONGEST) return undefined;
    return new Promise((resume) => setImmediate(resume)).then(() => {
      signal?.throwIfAborted();
      last = performance.now();
    });
  };
}
