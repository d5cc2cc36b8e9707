/** The protocol of the studio: schemas of all requests, replies and events. */
export * from "./advice.js";
export * from "./answers.js";
export * from "./asking.js";
export * from "./events.js";
export { type HttpClientOptions, httpCall, httpEvents } from "./http-client.js";
export * from "./info.js";
export * from "./knowledge.js";
export { openApi } from "./openapi.js";
export * from "./projects.js";
export * from "./question-keys.js";
export * from "./reply-error.js";
export * from "./routes.js";
export * from "./runs.js";
export * from "./sentences.js";
export * from "./tally.js";
export * from "./words.js";
