/** To come. */
export function Understand(_: { readonly query?: Readonly<Record<string, string>> }) {
  return <main />;
}
