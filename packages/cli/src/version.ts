/** The version, which all packages share. */
export const VERSION = "0.1.0";
