/** The clusters with their signs; each can be named, and the name goes into every export. */
import type { RunReply } from "@coterie/workbench/protocol";
import { useState } from "react";
import { useSession } from "../page/context.js";
import { GroupKey } from "../page/marks.js";
import type { Group, Groups } from "../state/groups.js";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";

export function ClusterNames({ run, groups }: { readonly run: RunReply; readonly groups: Groups }) {
  const [naming, setNaming] = useState<Group | null>(null);
  return (
    <>
      <span className="keys">
        {groups.groups.slice(0, 12).map((group) => (
          <button
            key={group.slot}
            type="button"
            className="group-button"
            title="Name this cluster"
            onClick={() => setNaming(group)}
          >
            <GroupKey group={group} />
          </button>
        ))}
      </span>
      {naming && <NameDialog run={run} group={naming} onClose={() => setNaming(null)} />}
    </>
  );
}

function NameDialog({ run, group, onClose }: { readonly run: RunReply; readonly group: Group; readonly onClose: () => void }) {
  const { deeds } = useSession();
  const [name, setName] = useState(group.name);
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    const names = Array.from({ length: run.k ?? 0 }, (_, cluster) => run.names?.[cluster] ?? null);
    names[group.cluster] = name.trim() === "" ? null : name.trim();
    await deeds.name(run.number, names);
    onClose();
  };
  return (
    <Dialog title={`Name cluster ${group.letter}`} onClose={onClose}>
      <form className="row" onSubmit={submit}>
        <input
          className="field"
          data-first
          aria-label="Name"
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" look="solid">
          Name it
        </Button>
      </form>
    </Dialog>
  );
}
