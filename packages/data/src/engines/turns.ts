/** A turn of the event loop, so that an abort is heard while a large file is read; in Node and in browsers. */
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
