/** The answer that is chosen: who said it, when, how much it weighs. */
import { useProject, useSession } from "../page/context.js";
import { originOf, sentenceOf } from "../state/knowledge.js";
import { Button, LinkButton } from "../ui/controls.js";
import { ago } from "../ui/format.js";

export function KnowledgeDetail() {
  const { deeds } = useSession();
  const standing = useProject(({ knowledge, chosen }) => knowledge.constraints.find(({ entry }) => entry === chosen) ?? null);
  if (!standing) return null;
  const { constraint, by, at, because } = standing;
  const weight = "weight" in constraint ? constraint.weight : undefined;
  const isWeighted = constraint.type !== "unsure" && constraint.type !== "exclusive" && constraint.type !== "sizes";
  return (
    <div className="knowledge-detail">
      <div className="row">
        <b className="grow cut">{sentenceOf(constraint)}</b>
        <Button look="danger small-button" onClick={() => void deeds.drop([standing.entry])}>
          Drop
        </Button>
      </div>
      <p className="quiet small">
        {originOf(standing)} by {by}, {ago(at, Date.now())}
        {because !== undefined && `. Does not count: ${because}`}
      </p>
      {isWeighted && (
        <div className="row small">
          <label className="quiet" htmlFor="weight">
            Weight
          </label>
          <input
            id="weight"
            key={standing.entry}
            className="field weight-field"
            type="number"
            min="0"
            step="any"
            disabled={weight === "inf"}
            defaultValue={weight === "inf" ? "" : (weight ?? 1)}
            onBlur={(event) => {
              const next = Number(event.target.value);
              if (next > 0 && next !== (weight ?? 1)) void deeds.weigh(standing.entry, next);
            }}
          />
          <LinkButton
            aria-pressed={weight === "inf"}
            onClick={() => void deeds.weigh(standing.entry, weight === "inf" ? 1 : "inf")}
          >
            {weight === "inf" ? "Hard: never broken" : "Make it hard"}
          </LinkButton>
        </div>
      )}
    </div>
  );
}
