/** The addresses of the pages. An address is the part of the URL after #, so it works with any server, or without a server. */
import { useSyncExternalStore } from "react";

export type ViewName = "map" | "ask" | "compare" | "understand";

export type Route =
  | { readonly page: "start" }
  | {
      readonly page: "project";
      readonly project: string;
      readonly view: ViewName;
      readonly query: Readonly<Record<string, string>>;
    };

const VIEWS: readonly ViewName[] = ["map", "ask", "compare", "understand"];

export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?");
  const [, first, project, view] = path.split("/");
  if (first !== "projects" || !project) return { page: "start" };
  const known = VIEWS.find((name) => name === view) ?? "map";
  return {
    page: "project",
    project: decodeURIComponent(project),
    view: known,
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

export function addressOf(route: Route): string {
  if (route.page === "start") return "#/";
  const query = new URLSearchParams(route.query).toString();
  return `#/projects/${encodeURIComponent(route.project)}/${route.view}${query === "" ? "" : `?${query}`}`;
}

export function viewAddress(project: string, view: ViewName, query: Readonly<Record<string, string>> = {}): string {
  return addressOf({ page: "project", project, view, query });
}

export function go(address: string): void {
  location.hash = address;
}

let last: { readonly hash: string; readonly route: Route } | null = null;

function current(): Route {
  if (last?.hash !== location.hash) last = { hash: location.hash, route: parseRoute(location.hash) };
  return last.route;
}

export function useRoute(): Route {
  return useSyncExternalStore((listener) => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, current);
}
