/** What went wrong with the last thing that was asked for, beside where it was asked. */
import { wordsOf } from "../state/lookups.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { useProject, useSession } from "./context.js";

export function Problems() {
  const { deeds } = useSession();
  const problem = useProject((state) => state.problem);
  if (!problem) return null;
  return (
    <div className="alert problem" role="alert">
      <div className="row bad strong">
        <Icon name="warning" />
        {wordsOf({ ...problem, remedy: "" })}
      </div>
      {problem.remedy && <p>{problem.remedy}</p>}
      <div className="row">
        <Button look="small-button" onClick={deeds.dismiss}>
          Close
        </Button>
      </div>
    </div>
  );
}
