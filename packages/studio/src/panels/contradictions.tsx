/** Answers that cannot all hold: the chain as a line, the answer that closes it dashed and red. */
import type { Standing } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { type contradictionsOf, keyOf, originOf, sentenceOf } from "../state/knowledge.js";

import { rowsOf } from "../state/lookups.js";
import type { RowId } from "../state/model.js";
import { Button } from "../ui/controls.js";
import { counted } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { chainWords, foldChain } from "./diagnosis.js";

type Contradiction = ReturnType<typeof contradictionsOf>[number];

export function Contradictions({ contradictions }: { readonly contradictions: readonly Contradiction[] }) {
  const [first] = contradictions;
  return (
    <>
      <ContradictionAlert contradiction={first!} />
      {contradictions.length > 1 && <p className="help bad">and {counted(contradictions.length - 1, "more contradiction")}</p>}
      <p className="help">Set aside for the checks below.</p>
    </>
  );
}

function ContradictionAlert({ contradiction }: { readonly contradiction: Contradiction }) {
  const { deeds, store } = useSession();
  const [a, b] = contradiction.cannotLink;
  const standing = useProject(({ knowledge }) => {
    const key = keyOf({ type: "cannot-link", a, b });
    return knowledge.constraints.filter(({ constraint, counts }) => counts && keyOf(constraint) === key).at(-1);
  });
  const words = standing ? sentenceOf(standing.constraint) : `${a} ≠ ${b}`;
  const light = () => {
    const rows = rowsOf(store.get(), contradiction.path);
    const chain = rows.slice(1).map((row, i) => ({ a: rows[i]!, b: row, kind: "must" as const }));
    const closing = { a: rows[0]!, b: rows.at(-1)!, kind: "broken" as const };
    deeds.light({ title: `The chain from ${a} to ${b}`, rows, links: [...chain, closing] });
  };
  return (
    <div className="alert" role="group" aria-label="Contradiction">
      <div className="row bad strong">
        <Icon name="warning" />
        {chainWords(contradiction.path.length)}
      </div>
      <Chain path={contradiction.path} closing={standing} />
      <div className="row wrap">
        <Button look="danger small-button" disabled={!standing} onClick={() => standing && void deeds.drop([standing.entry])}>
          Drop {words}
        </Button>
        <Button look="small-button" onClick={light}>
          Show chain
        </Button>
        <Button look="ghost small-button" onClick={() => deeds.pickAll(rowsOf(store.get(), [a, b]))}>
          Ask me again
        </Button>
      </div>
    </div>
  );
}

/** "≠ added last" where it closed the chain; else where it came from. */
export function closingWords(
  closing: Standing | undefined,
  links: readonly Standing[],
  constraints: readonly Standing[],
): string {
  if (!closing) return "≠";
  const at = constraints.indexOf(closing);
  return links.every((link) => constraints.indexOf(link) < at) ? "≠ added last" : `≠ ${originOf(closing)}`;
}

const WIDTH = 288;

/** Each pair of neighbours with where their link came from. */
function Chain({ path, closing }: { readonly path: readonly RowId[]; readonly closing: Standing | undefined }) {
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  const nodes = foldChain(path, 5);
  const step = nodes.length > 1 ? (WIDTH - 48) / (nodes.length - 1) : 0;
  const at = (i: number) => 24 + i * step;
  const linkOf = (left: RowId, right: RowId) => {
    const key = keyOf({ type: "must-link", a: left, b: right });
    return constraints.find(({ constraint, counts }) => counts && keyOf(constraint) === key);
  };
  const from = (left: RowId, right: RowId) => {
    const standing = linkOf(left, right);
    return standing ? originOf(standing) : "label";
  };
  const links = path.slice(1).flatMap((id, i) => linkOf(path[i]!, id) ?? []);
  const last = closingWords(closing, links, constraints);
  const isId = (node: (typeof nodes)[number] | undefined): node is RowId => node !== undefined && typeof node !== "object";
  const label = path.slice(1).map((id, i) => (i === 0 ? `${path[0]} is linked to ${id}` : `${path[i]} to ${id}`));
  return (
    <svg className="chain" width={WIDTH} height="52" viewBox={`0 0 ${WIDTH} 52`} role="img" aria-label={label.join(", ")}>
      <path d={`M24 26C60 -2 ${WIDTH - 60} -2 ${WIDTH - 24} 26`} className="link broken full dashed" />
      <path d={`M24 30H${WIDTH - 24}`} className="link must near" />
      <rect x={WIDTH / 2 - last.length * 3.1 - 5} y="0" width={last.length * 6.2 + 10} height="13" className="chain-back" />
      <text className="chain-last" x={WIDTH / 2} y="10">
        {last}
      </text>
      {nodes.map((node, i) => {
        const text = isId(node) ? String(node) : `${node.folded} more`;
        const width = 10 + text.length * 6.6;
        return (
          <g key={at(i)}>
            <rect x={at(i) - width / 2} y="22" width={width} height="16" className="chain-back" />
            <text className="chain-row" x={at(i)} y="34">
              {text}
            </text>
            {isId(node) && isId(nodes[i + 1]) && (
              <text className="chain-from" x={at(i) + step / 2} y="47">
                {from(node, nodes[i + 1] as RowId)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
