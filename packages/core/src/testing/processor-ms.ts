/** Milliseconds of processor time that this process has used so far; a browser tells none, and has a clock alone. */
export function processorMs(): number {
  return typeof process === "undefined" ? performance.now() : process.cpuUsage().user / 1e3;
}
