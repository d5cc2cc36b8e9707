/** Long work that lets signals in. */

/** The longest stretch of work between two pauses, in milliseconds. */
const LONGEST = 50;

/**
 * A function for loops over rows: it returns at once, or gives the event loop a turn when the last turn is 50 ms ago. After a turn it
 * throws if the signal was raised.
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
