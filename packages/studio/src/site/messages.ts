/** Messages between the pages and the worker that replies to them, over one channel that all tabs share. */
import type { ProjectEvent } from "@coterie/workbench/protocol";
import type { Problem } from "../state/model.js";

export type ToHost =
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "abort"; readonly id: string }
  | { readonly type: "listen"; readonly id: string; readonly project: string }
  | { readonly type: "unlisten"; readonly id: string };

export type FromHost =
  /** A worker has taken over as the host, so pages must send their open calls again. */
  | { readonly type: "host" }
  | { readonly type: "reply"; readonly id: string; readonly reply: unknown }
  | { readonly type: "problem"; readonly id: string; readonly status: number; readonly problem: Problem }
  | { readonly type: "event"; readonly id: string; readonly event: ProjectEvent };

export const CHANNEL = "coterie.studio";
export const LOCK = "coterie.workbench";
