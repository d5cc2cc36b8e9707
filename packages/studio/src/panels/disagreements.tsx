/** Two people said different things: both are kept, and the project says which counts. */
import { useProject, useSession } from "../page/context.js";
import { Segments } from "../ui/controls.js";
import { counted } from "../ui/format.js";

export function Disagreements() {
  const { deeds } = useSession();
  const { disagreements, policy } = useProject(({ knowledge, project }) => ({
    disagreements: knowledge.disagreements,
    policy: project.policy,
  }));
  if (disagreements.length === 0) return null;
  return (
    <div className="fact">
      <b className="warn">{counted(disagreements.length, "disagreement")}</b>
      <Segments
        label="Which answer counts"
        value={policy}
        options={[
          { value: "latest", label: "latest" },
          { value: "heavier", label: "heavier" },
          { value: "neither", label: "neither" },
        ]}
        onChange={(next) => void deeds.change({ policy: next })}
      />
      <ul className="under">
        {disagreements.slice(0, 5).map(({ entries, sentence }) => (
          <li key={entries.join()}>{sentence}</li>
        ))}
        {disagreements.length > 5 && <li>and {disagreements.length - 5} more</li>}
      </ul>
    </div>
  );
}
