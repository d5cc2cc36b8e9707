/** Lists the experiments, and selects them by the words of the command line. */
import { badOption, nearestName } from "@coterie/core/internal";
import { type Kind, needsOf, type Page, type Paper, secondsOf } from "./paper.js";

export interface Item {
  readonly paper: string;
  readonly item: string;
  readonly kind: Kind | "claim";
  readonly title: string;
  readonly needs: readonly string[];
  readonly quick: number;
  readonly full: number;
}

export function itemsOf(papers: readonly Paper[]): Item[] {
  return papers.flatMap((paper) =>
    paper.pages.flatMap((page) => {
      const seconds = { quick: secondsOf(page, "quick"), full: secondsOf(page, "full") };
      const own = { paper: paper.name, item: page.name, kind: page.kind, title: page.title, needs: needsOf(page), ...seconds };
      const claims = page.claims.map(({ id, quote, tested, needs = own.needs }) => {
        const title = quote === undefined ? `ours: ${tested}` : `“${quote}”`;
        return { paper: paper.name, item: id, kind: "claim" as const, title, needs, ...seconds };
      });
      return [own, ...claims];
    }),
  );
}

export interface Chosen {
  readonly paper: Paper;
  readonly pages: readonly Page[];
}

/** The pages that the arguments name: a paper, optionally with figures, tables or claims. Without arguments, all pages. */
export function choose(papers: readonly Paper[], words: readonly string[]): Chosen[] {
  if (words.length === 0) return papers.map((paper) => ({ paper, pages: paper.pages }));
  const chosen = new Map<Paper, Set<Page>>();
  let current: Paper | null = null;
  for (const word of words) {
    const paper = papers.find(({ name }) => name === word);
    if (paper) {
      current = paper;
      if (!chosen.has(paper)) chosen.set(paper, new Set());
    } else if (current) chosen.get(current)!.add(pageNamed(current, word));
    else
      throw unknown(
        "The paper",
        word,
        papers.map(({ name }) => name),
      );
  }
  return papers.flatMap((paper) => {
    const pages = chosen.get(paper);
    if (!pages) return [];
    return [{ paper, pages: pages.size === 0 ? paper.pages : paper.pages.filter((page) => pages.has(page)) }];
  });
}

function pageNamed({ pages, name }: Paper, word: string): Page {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const namesOf = (page: Page): string[] => [page.name, ...(page.covers ?? []), ...page.claims.map(({ id }) => id)];
  const found = pages.find((page) => namesOf(page).some((one) => plain(one) === plain(word)));
  if (found) return found;
  throw unknown(
    `The figure of ${name}`,
    word,
    pages.flatMap((page) => [page.name, ...(page.covers ?? [])]),
  );
}

function unknown(what: string, word: string, names: readonly string[]) {
  const near = nearestName(word, names);
  return badOption(what, word, `one of ${names.join(", ")}${near ? ` (did you mean ${near}?)` : ""}`);
}
