/** The method, options and seed of a requested run. */
export interface RunSpec {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly choose?: { readonly from: number; readonly to: number } | undefined;
}
