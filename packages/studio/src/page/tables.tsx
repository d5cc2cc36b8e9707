/** Switches all charts of a page to tables, and back, when the user presses T. */
import { LinkButton } from "../ui/controls.js";
import { useProject, useSession } from "./context.js";
import { useKeys } from "./keys.js";

export function useTables(): boolean {
  return useProject((state) => state.table);
}

export function TableButton() {
  const { store } = useSession();
  const isTable = useTables();
  const toggle = () => store.set({ table: !store.get().table });
  useKeys({ t: toggle });
  return (
    <LinkButton aria-pressed={isTable} title={isTable ? "Show charts (T)" : "Show tables (T)"} onClick={toggle}>
      {isTable ? "Show charts" : "Show tables"}
    </LinkButton>
  );
}
