/** The error of the last request, shown next to the place where the user made the request. */
import type { ReactNode } from "react";
import { faultOf } from "../state/lookups.js";
import type { Problem } from "../state/model.js";
import { type Offer, spoken } from "../state/spoken.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { useProject, useSession } from "./context.js";
import { useOffers } from "./offers.js";

interface FaultProps {
  readonly problem: Problem;
  readonly look: string;
  readonly details?: ReactNode;
  /** Called when the user clicks a button that fixes the problem. Without this function, there are no such buttons. */
  readonly onTake?: ((offer: Offer) => void) | undefined;
  readonly children: ReactNode;
}

export function Fault({ problem, look, details, onTake, children }: FaultProps) {
  const remedy = spoken(problem.remedy ?? "");
  return (
    <div className={`alert ${look}`} role="alert">
      <div className="row bad strong">
        <Icon name="warning" />
        {faultOf(problem)}
      </div>
      {details}
      {remedy.words && <p>{remedy.words}</p>}
      <div className="row wrap">
        {onTake &&
          remedy.offers.map((offer) => (
            <Button key={offer.words} look="small-button" onClick={() => onTake(offer)}>
              {offer.words}
            </Button>
          ))}
        {children}
      </div>
    </div>
  );
}

export function Problems() {
  const { actions } = useSession();
  const problem = useProject((state) => state.problem);
  const take = useOffers();
  if (!problem) return null;
  const takeOne = (offer: Offer) => {
    actions.dismiss();
    take(offer);
  };
  return (
    <Fault problem={problem} look="problem" onTake={takeOne}>
      <Button look="small-button" onClick={actions.dismiss}>
        Close
      </Button>
    </Fault>
  );
}
