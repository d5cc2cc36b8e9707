/** Tables in, points out. */
export * from "@coterie/data";
