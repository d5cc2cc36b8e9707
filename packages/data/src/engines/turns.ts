/**
 * Waits until the event loop has handled pending events, so that long work can be cancelled; works in Node and browsers. It posts a message
 * to itself. The message arrives after other pending tasks of a page, and browsers do not delay messages as they delay timers.
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
