/** A studio on loopback for tests, and a client that talks to it over HTTP. */
import { httpCall, httpEvents } from "@coterie/workbench/protocol";
import { onTestFinished } from "vitest";
import { type Studio, type StudioOptions, startStudio } from "../start-studio.js";
import { temporaryFolder } from "./folders.js";

export async function localStudio(options: Partial<StudioOptions> = {}) {
  const bugs: unknown[] = [];
  const studio: Studio = await startStudio({
    folder: temporaryFolder(),
    version: "0.0.0-test",
    token: "secret",
    onBug: (error) => bugs.push(error),
    ...options,
  });
  onTestFinished(() => studio.close());
  const base = `http://127.0.0.1:${studio.port}`;
  const headers = { authorization: "Bearer secret" };
  return {
    studio,
    base,
    bugs,
    headers,
    call: httpCall({ base, token: "secret" }),
    events: (project: string, signal: AbortSignal) => httpEvents(project, { base, token: "secret" }, signal),
    get: (path: string, more: Record<string, string> = {}) => fetch(`${base}${path}`, { headers: { ...headers, ...more } }),
  };
}
