/** How long a download may take: a limit on silence, on slowness and on the whole. */

export interface Limits {
  /** Milliseconds without a byte after which it is given up; 30,000. */
  readonly silence?: number;
  /** Bytes a second below which it is given up, on the mean of a window; 1,000. */
  readonly leastRate?: number;
  /** Milliseconds of that window; 20,000. */
  readonly rateWindow?: number;
  /** Milliseconds for the whole of it; 600,000. */
  readonly longest?: number;
}

export interface Patience {
  /** Raised when a limit is reached. */
  readonly signal: AbortSignal;
  /** Tells of bytes that have come; none are told when only a header came. */
  heard(bytes: number): void;
  /** Why it was given up, as a sentence; undefined if it was not. */
  reason(): string | undefined;
  /** Ends the waiting. */
  stop(): void;
}

export function startPatience({ silence = 30_000, leastRate = 1000, rateWindow = 20_000, longest = 600_000 }: Limits): Patience {
  const over = new AbortController();
  let why: string | undefined;
  const giveUp = (sentence: string) => () => {
    why ??= sentence;
    over.abort();
  };
  const whole = setTimeout(giveUp(`It took longer than ${seconds(longest)}.`), longest);
  let quiet: NodeJS.Timeout | undefined;
  let pace: NodeJS.Timeout | undefined;
  let inWindow = 0;
  const listen = () => {
    clearTimeout(quiet);
    quiet = setTimeout(giveUp(`Nothing arrived for ${seconds(silence)}.`), silence);
  };
  const measure = () => {
    if (inWindow * 1000 < leastRate * rateWindow)
      giveUp(
        `It arrives too slowly: ${inWindow} bytes in ${seconds(rateWindow)}, and ${leastRate} bytes a second are the least.`,
      )();
    inWindow = 0;
  };
  listen();
  return {
    signal: over.signal,
    heard(bytes) {
      listen();
      inWindow += bytes;
      // Before the first byte the silence is measured, not the pace.
      if (bytes > 0) pace ??= setInterval(measure, rateWindow);
    },
    reason: () => why,
    stop() {
      clearTimeout(whole);
      clearTimeout(quiet);
      clearInterval(pace);
    },
  };
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} seconds`;
}
