/** What went wrong with the last thing that was asked for, beside where it was asked. */
import { faultOf } from "../state/lookups.js";
import { spoken } from "../state/spoken.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { useProject, useSession } from "./context.js";
import { useOffers } from "./offers.js";

export function Problems() {
  const { actions } = useSession();
  const problem = useProject((state) => state.problem);
  const take = useOffers();
  if (!problem) return null;
  const remedy = spoken(problem.remedy ?? "");
  return (
    <div className="alert problem" role="alert">
      <div className="row bad strong">
        <Icon name="warning" />
        {faultOf(problem)}
      </div>
      {remedy.words && <p>{remedy.words}</p>}
      <div className="row wrap">
        {remedy.offers.map((offer) => (
          <Button
            key={offer.words}
            look="small-button"
            onClick={() => {
              actions.dismiss();
              take(offer);
            }}
          >
            {offer.words}
          </Button>
        ))}
        <Button look="small-button" onClick={actions.dismiss}>
          Close
        </Button>
      </div>
    </div>
  );
}
