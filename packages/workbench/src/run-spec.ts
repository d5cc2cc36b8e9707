/** What is to be run. */
export interface RunSpec {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
}
