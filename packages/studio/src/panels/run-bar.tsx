/** The run button, the progress of a run, and the error of the last run. */
import { formatCount } from "@coterie/figures/layout";
import type { RunReply } from "@coterie/workbench/protocol";
import { tell, useProject, useSession, useStudio } from "../page/context.js";
import { useKeys } from "../page/keys.js";
import { go, viewAddress } from "../page/router.js";
import { Button, LinkButton, Meter } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";
import { MenuButton, MenuItem } from "../ui/popup.js";
import { useMethod } from "./method-panel.js";

export function RunBar() {
  const { actions } = useSession();
  const { choice, method } = useMethod();
  const active = useProject(({ runs }) => runs.filter(({ state }) => state === "running" || state === "waiting").at(-1) ?? null);
  const last = useProject(({ runs }) => runs.at(-1) ?? null);
  const other = useProject(({ colouring, results }) =>
    colouring.by === "run" && results.get(colouring.run)?.current === false ? colouring.run : null,
  );
  const start = () => {
    if (choice) void actions.run(choice);
  };
  const isPicking = useProject(({ picks, lit }) => picks.length > 0 || lit !== null);
  const stop = isPicking ? actions.clear : active ? () => void actions.cancel(active.number) : undefined;
  useKeys({ "Ctrl+Enter": start, Escape: stop });
  return (
    <div className="run-bar">
      {active && <Progress run={active} />}
      {!active && other !== null && (
        <p className="quiet" role="status">
          Run {other} used other rows than the present table, so its clusters are not shown. Run the method again.
        </p>
      )}
      {!active && last && (last.state === "failed" || last.state === "cancelled") && <Ended run={last} onAgain={start} />}
      <div className="row">
        <Button look="solid tall grow" cap="Ctrl ↵" disabled={!choice} onClick={start}>
          Run {method?.title ?? ""}
        </Button>
        <RunMenu />
      </div>
    </div>
  );
}

/** The progress of a run as text: "ClusILC tree, 14 of 23 leaves". */
function progressWords({ title, state, progress }: Pick<RunReply, "title" | "state" | "progress">): string {
  if (state === "waiting" || !progress) return `${title}, ${state === "waiting" ? "waiting" : "starting"}`;
  const done = formatCount(Math.round(progress.done));
  return `${title}, ${progress.total === null ? `${done} ${progress.phase}` : `${done} of ${formatCount(Math.round(progress.total))} ${progress.phase}`}`;
}

function Progress({ run }: { readonly run: RunReply }) {
  const { actions } = useSession();
  const { progress } = run;
  const share = progress?.total ? progress.done / progress.total : 0;
  return (
    <div className="progress">
      <span className="cut">
        <b>Run {run.number}</b> <span className="quiet">{progressWords(run)}</span>
      </span>
      <Button look="ghost small-button" onClick={() => void actions.cancel(run.number)}>
        Cancel
      </Button>
      <Meter share={share} active label={`Run ${run.number}: ${Math.round(share * 100)}% done`} />
    </div>
  );
}

/** The progress at which a run was interrupted, as the start of a sentence: "at 14 of 23 leaves, ". */
function reachedWords({ progress }: Pick<RunReply, "progress">): string {
  if (!progress) return "";
  const done = formatCount(Math.round(progress.done));
  return `at ${progress.total === null ? done : `${done} of ${formatCount(Math.round(progress.total))}`} ${progress.phase}, `;
}

function Ended({ run, onAgain }: { readonly run: RunReply; readonly onAgain: () => void }) {
  if (run.state === "cancelled")
    return (
      <div className="row" role="status">
        <span className="grow">
          <b>Run {run.number} cancelled</b> <span className="quiet">{reachedWords(run)}nothing saved</span>
        </span>
        <LinkButton onClick={onAgain}>Run again</LinkButton>
      </div>
    );
  return <Failed run={run} />;
}

/** Shows why a run failed. If its method must keep all answers, offers a button for a method that can break some of them. */
function Failed({ run }: { readonly run: RunReply }) {
  const { methods, set, choice } = useMethod();
  const hard = methods.find(({ name }) => name === run.spec.algorithm);
  const soft = methods.find(({ name }) => name === "pck-means");
  const isHard = hard?.treats.mustLink === "hard" || hard?.treats.cannotLink === "hard";
  return (
    <div className="alert" role="alert">
      <div className="bad strong">
        Run {run.number}, {run.title}, failed
      </div>
      <p>{run.problem ?? "The method gave no reason."} Nothing was saved.</p>
      {isHard && soft && choice?.algorithm !== soft.name && (
        <div className="row">
          <Button
            look="small-button"
            onClick={() => set({ algorithm: soft.name, options: choice?.options.k === undefined ? {} : { k: choice.options.k } })}
          >
            Use {soft.title}
          </Button>
        </div>
      )}
    </div>
  );
}

function RunMenu() {
  const { actions, id, client } = useSession();
  const { app } = useStudio();
  const runs = useProject((state) => state.runs);
  const done = runs.filter(({ state }) => state === "done");
  const newest = done.at(-1);
  const spread = (run: number) =>
    client
      .call("spread", { project: id, run, seeds: 10 })
      .then(() => tell(app, `Run ${run} is repeated with 10 seeds; Compare shows the spread`), actions.fail);
  return (
    <MenuButton label="More options" name="More options" className="button only-icon tall" content={<Icon name="down" />}>
      <MenuItem disabled={!newest} onPick={() => void spread(newest!.number)}>
        Repeat run {newest?.number ?? ""} with 10 seeds
      </MenuItem>
      <MenuItem disabled={done.length < 2} onPick={() => go(viewAddress(id, "compare"))}>
        Compare two runs
      </MenuItem>
      {done.length > 0 && <div className="menu-head">Show on the map</div>}
      {[...done].reverse().map(({ number, title, broken }) => (
        <MenuItem
          key={number}
          note={broken === 0 ? "all kept" : broken === null ? "" : `${broken} broken`}
          onPick={() => void actions.colour({ by: "run", run: number })}
        >
          Run {number}, {title}
        </MenuItem>
      ))}
    </MenuButton>
  );
}
