/** Progress of trials, and the message after Ctrl-C. */
import { durationInWords, type Progress as TrialProgress } from "@coterie/workbench/trials";
import type { Io } from "./command.js";
import type { Progress } from "./progress.js";

export interface FollowedTrials {
  readonly onProgress: (now: TrialProgress) => void;
  /** Says how many trials are saved in the folder, if any trial was run. */
  readonly interruption: (folder: string) => string;
}

/** `noun`: what a trial is called in the message, in the singular. */
export function followTrials(progress: Progress, { terminal }: Pick<Io, "terminal">, noun: string): FollowedTrials {
  let last: TrialProgress | null = null;
  return {
    onProgress(now) {
      last = now;
      // Without a terminal each phase prints one line. A text with the time left would make every update a new phase.
      const left = now.secondsLeft === null || !terminal ? "" : `, about ${durationInWords(now.secondsLeft)} left`;
      progress.show({ phase: `${now.title}${left}`, done: now.done, total: now.total });
    },
    interruption(folder) {
      if (last === null)
        return `Interrupted before a ${noun} was finished; what lay in ${folder} is kept, and the same command starts again.`;
      return `Interrupted: ${last.done} of ${last.total} ${noun}s are kept in ${folder}; the same command goes on from there.`;
    },
  };
}
