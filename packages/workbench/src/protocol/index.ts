/** The protocol of the studio: schemas of everything that crosses a boundary. */
export * from "./advice.js";
export * from "./asking.js";
export * from "./events.js";
export { type HttpClientOptions, httpCall, httpEvents, ReplyError } from "./http-client.js";
export * from "./info.js";
export * from "./knowledge.js";
export { openApi } from "./openapi.js";
export * from "./projects.js";
export * from "./question-keys.js";
export * from "./routes.js";
export * from "./runs.js";
export * from "./tally.js";
export * from "./words.js";
