/** What is to be run. */
export interface RunSpec {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  /** Numbers of clusters to choose from. */
  readonly choose?: { readonly from: number; readonly to: number } | undefined;
}
