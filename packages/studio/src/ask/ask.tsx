/** To come. */
export function Ask(_: { readonly query?: Readonly<Record<string, string>> }) {
  return <main />;
}
