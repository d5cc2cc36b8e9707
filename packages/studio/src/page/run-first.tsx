/** A message on pages that have nothing to show before a method has run. */
import type { ReactNode } from "react";
import { Button } from "../ui/controls.js";
import { useSession } from "./context.js";
import { go, viewAddress } from "./router.js";

export function RunFirst({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { id } = useSession();
  return (
    <div className="page-note">
      <h1>{title}</h1>
      <p className="lead">{children}</p>
      <p>
        <Button look="solid tall" onClick={() => go(viewAddress(id, "map"))}>
          Go to the map
        </Button>
      </p>
    </div>
  );
}

/** A message for runs whose rows differ from the current rows of the table. The clusters of such runs cannot be shown. */
export function OtherRows({ runs }: { readonly runs: readonly number[] }) {
  return (
    <RunFirst title={`${runs.length === 1 ? "Run" : "Runs"} ${runs.join(" and ")} used other rows`}>
      The table was read in another way since then: rows were left out or added, or have other names. Run a method again to see
      the present rows, or read the table as before.
    </RunFirst>
  );
}
