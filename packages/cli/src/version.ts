/** The version of the packages, which share one. */
export const VERSION = "0.2.0";
