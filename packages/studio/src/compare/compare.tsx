/** To come. */
export function Compare(_: { readonly query?: Readonly<Record<string, string>> }) {
  return <main />;
}
