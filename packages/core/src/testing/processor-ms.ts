/** Milliseconds of processor time that this process has used so far; a browser does not tell, and says 0. */
export function processorMs(): number {
  return typeof process === "undefined" ? 0 : process.cpuUsage().user / 1e3;
}
