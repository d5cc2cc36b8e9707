/** React contexts for all parts of the page: the client, the state of the app, and the open project. */
import { createContext, useContext } from "react";
import type { Tell } from "../state/actions.js";
import type { Client } from "../state/client.js";
import type { AppState, ProjectState, Toast } from "../state/model.js";
import type { Session } from "../state/session.js";
import { type Store, useStore } from "../state/store.js";

export interface Studio {
  readonly client: Client;
  readonly app: Store<AppState>;
}

export const StudioContext = createContext<Studio | null>(null);
export const SessionContext = createContext<Session | null>(null);

export function useStudio(): Studio {
  const studio = useContext(StudioContext);
  if (!studio) throw new Error("This component needs a StudioContext.");
  return studio;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This component needs a SessionContext.");
  return session;
}

export function useApp<Part>(select: (state: AppState) => Part): Part {
  return useStore(useStudio().app, select);
}

export function useProject<Part>(select: (state: ProjectState) => Part): Part {
  return useStore(useSession().store, select);
}

let toasts = 0;

export function tell(app: Store<AppState>, text: string, more: Parameters<Tell>[1] = {}): () => void {
  const toast: Toast = { id: ++toasts, text, tone: "plain", ...more };
  const isOther = ({ about }: Toast) => about === undefined || about !== toast.about;
  const forget = () => app.set(({ toasts: before }) => ({ toasts: before.filter(({ id }) => id !== toast.id) }));
  app.set(({ toasts: before }) => ({ toasts: [...before.filter(isOther).slice(-2), toast] }));
  setTimeout(forget, 6_000);
  return forget;
}
