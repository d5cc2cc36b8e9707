/** Charts as tables: T turns every chart of a view into numbers, and back. */
import { LinkButton } from "../ui/controls.js";
import { useProject, useSession } from "./context.js";
import { useKeys } from "./keys.js";

/** Whether charts are shown as tables. */
export function useTables(): boolean {
  return useProject((state) => state.table);
}

/** The switch of a view, and its key. */
export function TableButton() {
  const { store } = useSession();
  const isTable = useTables();
  const toggle = () => store.set({ table: !store.get().table });
  useKeys({ t: toggle });
  return (
    <LinkButton aria-pressed={isTable} title={isTable ? "Show the chart (T)" : "Show as a table (T)"} onClick={toggle}>
      {isTable ? "As a chart" : "As a table"}
    </LinkButton>
  );
}
