/** Processor time in milliseconds that this process has used so far; 0 in a browser, which does not report it. */
export function processorMs(): number {
  return typeof process === "undefined" ? 0 : process.cpuUsage().user / 1e3;
}
