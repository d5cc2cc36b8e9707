/** Pauses in long work, so that the event loop can handle signals and aborts. */

/** Longest time between two pauses, in milliseconds. */
const LONGEST = 50;

/** Returns a function for loops over rows. Every 50 ms it lets the event loop run, and then throws if `signal` is aborted. */
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
