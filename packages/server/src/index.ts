/** The server behind the studio. */
export { type AppOptions, createApp } from "./app.js";
export { nodeHost } from "./compute/node-host.js";
export { moveProjects, openStore } from "./sqlite/store.js";
export { type Studio, type StudioOptions, startStudio } from "./start-studio.js";
export { StoreError, type StoreTrouble } from "./store-error.js";
