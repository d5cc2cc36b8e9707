/**
 * Waits for the event loop, so that calls and cancellations are handled during long work; in Node and browsers. It posts a message to
 * itself: the message arrives after the other tasks of a page, and browsers do not throttle it as they throttle timers.
 */
export function nextTurn(): Promise<void> {
  if (typeof setImmediate === "function") return new Promise((resume) => setImmediate(resume));
  return new Promise((resume) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resume();
    };
    port2.postMessage(null);
  });
}
