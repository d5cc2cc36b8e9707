export * from "./rest";
export * from "./rows";
