/** Rules about columns of dates in dates: methods see them as days, which nobody reads. */
import { dateText } from "@coterie/data/browser";

/** "seen > 18350" is "seen > 2020-03-29"; the same for "18262 < seen ≤ 18350". */
export function datedWords(words: string, dates: readonly string[]): string {
  const number = "(-?\\d+(?:\\.\\d+)?)";
  return dates.reduce((text, name) => {
    const column = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const day = (days: string) => dateText(Number(days));
    return text
      .replaceAll(new RegExp(`${number}( [<≤] ${column} )`, "g"), (_, days: string, rest: string) => `${day(days)}${rest}`)
      .replaceAll(
        new RegExp(`(^|[\\s(])(${column} [<≤>≥] )${number}`, "g"),
        (_, before: string, rest: string, days: string) => `${before}${rest}${day(days)}`,
      );
  }, words);
}

interface Node {
  readonly test?: { readonly column: string; readonly above?: number };
  readonly yes?: Node;
  readonly no?: Node;
}

/** A tree whose limits of dates are texts. */
export function datedTree<T extends { readonly root: unknown }>(tree: T, dates: readonly string[]): T {
  const visit = (node: Node): object => {
    const { test, yes, no } = node;
    if (!test || !yes || !no) return node;
    const isDate = test.above !== undefined && dates.includes(test.column);
    return { ...node, test: isDate ? { ...test, above: dateText(test.above) } : test, yes: visit(yes), no: visit(no) };
  };
  return dates.length === 0 ? tree : { ...tree, root: visit(tree.root as Node) };
}
