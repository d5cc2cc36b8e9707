/**
 * A turn of the event loop, so that calls and cancels are heard while something runs; in Node and in browsers. A message to oneself comes
 * after whatever a page has to do, and is not slowed down as timers are.
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
