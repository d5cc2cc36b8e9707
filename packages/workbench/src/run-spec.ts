/** What a run was asked to do: its method, its options and its seed. */
export interface RunSpec {
  readonly algorithm: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly choose?: { readonly from: number; readonly to: number } | undefined;
}
