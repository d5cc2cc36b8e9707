/** Progress of trials, and the message after Ctrl-C. */
import { durationInWords, type Progress as TrialProgress } from "@coterie/workbench/trials";
import type { Io } from "./command.js";
import type { Progress } from "./progress.js";

export interface FollowedTrials {
  readonly onProgress: (now: TrialProgress) => void;
  /** The message after Ctrl-C: how many trials are saved in the folder, and that the same command continues. */
  readonly interruption: (folder: string) => string;
}

export function followTrials(progress: Progress, { terminal }: Pick<Io, "terminal">, noun: string): FollowedTrials {
  let last: TrialProgress | null = null;
  return {
    onProgress(now) {
      last = now;
      // Without a terminal, each new text prints a line, so the text must not contain the time left.
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
