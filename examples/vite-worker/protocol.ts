/** The messages between the page and its worker. */
export interface Job {
  readonly rows: readonly (readonly number[])[];
  readonly mustLink: readonly (readonly [number, number])[];
  readonly k: number;
}

export type Reply =
  | { readonly step: string }
  | { readonly labels: Int32Array; readonly notices: readonly string[] }
  | { readonly stopped: true };
