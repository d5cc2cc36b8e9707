/** The server of the studio: its handler, its store of projects, and what Node provides to tasks. */
export { type AppOptions, createApp } from "./app.js";
export { nodeHost } from "./compute/node-host.js";
export { moveProjects, openStore } from "./sqlite/store.js";
export { type Studio, type StudioOptions, startStudio } from "./start-studio.js";
export { StoreError, type StoreTrouble } from "./store-error.js";
