/** The experiments of the papers: lists them and runs them. */
import { choose, type Item, itemsOf } from "./frame/list.js";
import { papers } from "./papers.js";

export function chosenItems(words: readonly string[]): Item[] {
  return itemsOf(choose(papers, words).map(({ paper, pages }) => ({ ...paper, pages })));
}

export type { Item } from "./frame/list.js";
export type { Paper, Verdict } from "./frame/paper.js";
export { type Reproduced, type ReproduceOptions, reproduce } from "./frame/reproduce.js";
export { papers };
