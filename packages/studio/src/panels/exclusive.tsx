/** "At most one per source": a column of which no cluster holds a value twice. */
import { useProject, useSession } from "../page/context.js";
import { Picker } from "../ui/popup.js";

export function Exclusive() {
  const { deeds } = useSession();
  const { columns, knowledge } = useProject((state) => ({ columns: state.columns, knowledge: state.knowledge }));
  const standing = knowledge.constraints.filter(({ constraint }) => constraint.type === "exclusive").at(-1);
  const value = standing?.constraint.type === "exclusive" ? standing.constraint.column : null;
  const choose = (column: string) => {
    if (standing) void deeds.drop([standing.entry]);
    if (column !== "") void deeds.say([{ type: "exclusive", column }]);
  };
  return (
    <div className="exclusive-row">
      <span className="quiet grow cut">At most one per source</span>
      <Picker
        label="At most one per source"
        value={value}
        empty="choose a column"
        choices={[
          ...(value === null ? [] : [{ value: "", label: "no column" }]),
          ...columns.filter(({ role }) => role !== "id").map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={choose}
      />
    </div>
  );
}
