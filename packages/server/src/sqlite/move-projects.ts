/**
 * Projects of a folder that earlier versions used, brought into the one that is used now: each with its log, its runs and its data, under
 * the next free id. The rows are copied inside SQLite, as bytes. Afterwards the old project file has another name, so that nothing is
 * brought twice; its data stay where they are.
 */
import { createReadStream, existsSync, realpathSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { StoredProject } from "@coterie/workbench";
import type { InStatement } from "@libsql/client";
import { PROJECT_FILE } from "./folder.js";
import { openParts, type Parts, storeOver } from "./store.js";

/** How many projects were brought: none where `from` holds none or is the same folder. */
export async function moveProjects(from: string, to: string): Promise<number> {
  if (!existsSync(join(from, PROJECT_FILE)) || (existsSync(to) && realpathSync(from) === realpathSync(to))) return 0;
  const old = await openParts(from);
  try {
    const projects = await storeOver(old).projects();
    const damaged = projects.find((each) => "problem" in each);
    if (damaged && "problem" in damaged) throw new Error(damaged.problem);
    await copyAll(projects as StoredProject[], old.file, join(from, "data"), await openParts(to));
    // The log of commits goes into the file, and the file alone is renamed.
    await old.client.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    old.client.close();
    renameSync(old.file, `${old.file}.moved`);
    return projects.length;
  } finally {
    old.client.close();
    old.unlock();
  }
}

async function copyAll(projects: readonly StoredProject[], file: string, data: string, target: Parts): Promise<void> {
  const store = storeOver(target);
  try {
    await target.client.execute({ sql: "ATTACH DATABASE ? AS old", args: [file] });
    const taken = new Set((await store.projects()).map(({ id }) => id));
    for (const project of projects) {
      const path = join(data, project.data.sha256);
      const held = existsSync(path) ? await store.hold(createReadStream(path)) : null;
      let id = project.id;
      for (let number = 2; taken.has(id); number++) id = `${project.id}-${number}`;
      taken.add(id);
      await store.addProject({ ...project, id });
      await target.commits.write(copying(project.id, id));
      if (held) await store.release(held.sha256);
    }
    await target.client.execute("DETACH DATABASE old");
  } finally {
    await store.close();
  }
}

function copying(before: string, id: string): InStatement[] {
  return [
    "UPDATE projects SET taken = (SELECT taken FROM old.projects WHERE id = ?2) WHERE id = ?1",
    "INSERT INTO entries (project, seq, id, at, body) SELECT ?1, seq, id, at, body FROM old.entries WHERE project = ?2",
    "INSERT INTO runs (project, number, body) SELECT ?1, number, body FROM old.runs WHERE project = ?2",
    "INSERT INTO artifacts (project, run, name, body) SELECT ?1, run, name, body FROM old.artifacts WHERE project = ?2",
  ].map((sql) => ({ sql, args: [id, before] }));
}
