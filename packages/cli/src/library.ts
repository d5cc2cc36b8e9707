export type { Report } from "@coterie/core";
export { type Run, type RunHost, type RunSpec, reportOf, run } from "@coterie/workbench";
