/** Shows a name, cut in the middle if it does not fit: `od280_od…_wines`. */

/**
 * TAIL: number of characters at the end of a name that are never cut. SHORT: a name with at most this length is cut at its end, not in the
 * middle.
 */
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
