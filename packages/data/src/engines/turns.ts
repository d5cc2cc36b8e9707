/**
 * Waits until the event loop has handled pending events, so that long work can be cancelled. Works in Node and browsers. In browsers, it
 * posts a message to itself: browsers delay timers, but not messages.
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
