/** A run that is about other rows than the table has now: nothing of it is laid over these. */

import { Button } from "../ui/controls.js";
import { useSession } from "./context.js";
import { go, viewAddress } from "./router.js";

export function OtherRows({ runs }: { readonly runs: readonly number[] }) {
  const { id } = useSession();
  const [what, are] = runs.length === 1 ? [`Run ${runs[0]}`, "is"] : [`Runs ${runs.join(" and ")}`, "are"];
  return (
    <div className="page-note">
      <h1>
        {what} {are} about other rows
      </h1>
      <p className="lead">
        The table is read in another way since: rows were left out or taken in, or have other names. Run again to see these rows,
        or read the table as before.
      </p>
      <p>
        <Button look="solid tall" onClick={() => go(viewAddress(id, "map"))}>
          Go to the map and run
        </Button>
      </p>
    </div>
  );
}
