/** Pauses in long work, so that signals are handled. */

/** Longest time between two pauses, in milliseconds. */
const LONGEST = 50;

/**
 * A function to call in loops over rows. It returns immediately, or if the last pause was 50 ms ago, lets the event loop run first. It
 * throws after a pause if the signal was raised.
 */
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
