/** A name that keeps both of its ends where its place is too narrow: `od280_od…_wines`. */

/** Letters that stay at the end; short names are cut nowhere but there. */
const TAIL = 6;
const SHORT = 10;

export function CutName({ name, className = "" }: { readonly name: string; readonly className?: string }) {
  const letters = [...name];
  const head = letters.slice(0, -TAIL).join("");
  return (
    <span className={`cut-name ${className}`} title={name}>
      {letters.length <= SHORT ? (
        <span className="cut-head">{name}</span>
      ) : (
        <>
          <span className="cut-head">{head}</span>
          <span className="cut-tail">{letters.slice(-TAIL).join("")}</span>
        </>
      )}
    </span>
  );
}
