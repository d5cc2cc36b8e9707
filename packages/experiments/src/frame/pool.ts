/** The worker threads of experiments. They know the tables of all papers, so a message only has to name a table. */
import { Worker } from "node:worker_threads";
import { Caller, nodePort } from "@coterie/workbench";
import { type Trial, type TrialPool, textOf, workerPool } from "@coterie/workbench/trials";
import type { Paper, TrialTable } from "./paper.js";

export interface TableName {
  readonly paper: string;
  readonly table: string;
}

function findTable(papers: readonly Paper[], { paper, table: name }: TableName): TrialTable {
  const tables = papers.find((one) => one.name === paper)?.pages.flatMap((page) => page.tables) ?? [];
  const found = tables.find((table) => table.name === name);
  if (!found) throw new Error(`${paper} has no trials ${name}.`);
  return found;
}

export async function measured(papers: readonly Paper[], trial: Trial, name: TableName): Promise<string> {
  const table = findTable(papers, name);
  return textOf(table, trial, await table.measure(trial));
}

export function threadPool(size: number): TrialPool<TableName> {
  const start = () => new Caller(nodePort(new Worker(new URL("../worker.js", import.meta.url), { execArgv: [] })));
  return workerPool(size, start);
}
