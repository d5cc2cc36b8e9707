/**
 * Commits in groups: what is asked for while the disk is busy goes to it together, in one transaction with one flush. Each caller is
 * told when its part is on disk. If a group fails, its parts are tried one by one, so that nobody pays for another's fault.
 */
import type { Client, InStatement, ResultSet } from "@libsql/client";
import { storeErrorFrom } from "../store-error.js";

interface Part {
  readonly statements: readonly InStatement[];
  resolve(results: ResultSet[]): void;
  reject(error: unknown): void;
}

/** Statements of one group at most. */
const MOST_STATEMENTS = 20_000;

export interface Commits {
  write(statements: readonly InStatement[]): Promise<ResultSet[]>;
  /** Resolves when all that was asked for is on disk. */
  flushed(): Promise<void>;
}

export function createCommits(client: Client, file: string): Commits {
  const waiting: Part[] = [];
  let working: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    // Requests that have arrived by now come along.
    await new Promise((resume) => setImmediate(resume));
    while (waiting.length > 0) await commit(client, file, takeGroup(waiting));
  };
  const work = () => {
    working ??= flush().finally(() => {
      working = null;
      if (waiting.length > 0) work();
    });
  };
  return {
    write: (statements) =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, resolve, reject });
        work();
      }),
    async flushed() {
      while (working) await working;
    },
  };
}

function takeGroup(waiting: Part[]): Part[] {
  let [count, parts] = [0, 0];
  while (parts < waiting.length && (parts === 0 || count + waiting[parts]!.statements.length <= MOST_STATEMENTS))
    count += waiting[parts++]!.statements.length;
  return waiting.splice(0, parts);
}

async function commit(client: Client, file: string, group: readonly Part[]): Promise<void> {
  try {
    const results = await client.batch(
      group.flatMap(({ statements }) => [...statements]),
      "write",
    );
    let at = 0;
    for (const { statements, resolve } of group) {
      resolve(results.slice(at, at + statements.length));
      at += statements.length;
    }
  } catch (error) {
    if (group.length === 1) return group[0]!.reject(storeErrorFrom(error, file));
    for (const part of group) await commit(client, file, [part]);
  }
}
