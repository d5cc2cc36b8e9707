/**
 * The connection of the page to a server over HTTP, or to a worker in the same browser. The page does not know which of the two replies.
 */
import { type Call, httpCall, httpEvents, type ProjectEvent } from "@coterie/workbench/protocol";

export interface Client {
  readonly call: Call;
  readonly events: (project: string, signal: AbortSignal) => AsyncIterable<ProjectEvent>;
}

const TOKEN = "coterie.token";

/**
 * Removes the access token from the address that the command printed, and keeps it for this tab. If the address names a project, opens this
 * project.
 */
function takeToken(): string | undefined {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given === null) return sessionStorage.getItem(TOKEN) ?? undefined;
  sessionStorage.setItem(TOKEN, given);
  address.searchParams.delete("token");
  const project = address.searchParams.get("project");
  address.searchParams.delete("project");
  if (project !== null && address.hash === "") address.hash = `#/projects/${encodeURIComponent(project)}/map`;
  history.replaceState(null, "", address);
  return given;
}

export function serverClient(): Client {
  const token = takeToken();
  const base = location.origin;
  const options = { base, fetch: (input, init) => fetch(input, init), ...(token ? { token } : {}) } satisfies Parameters<
    typeof httpCall
  >[0];
  return {
    call: httpCall(options),
    events: (project, signal) => httpEvents(project, options, signal),
  };
}
