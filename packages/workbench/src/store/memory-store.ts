/** A store in memory, for tests and for browsers that do not allow storage. It is lost when the process ends. */
import type { Entry } from "../protocol/knowledge.js";
import type { RunReply } from "../protocol/runs.js";
import { createHolds } from "./bytes.js";
import { noProject, type Store, type StoredProject } from "./store.js";

interface Kept {
  project: StoredProject;
  readonly entries: Entry[];
  readonly byId: Map<string, Entry>;
  readonly runs: Map<number, RunReply>;
  readonly artifacts: Map<string, string>;
  taken: number;
}

const PLACE = "memory, which forgets projects when the page closes";

export function createMemoryStore(): Store {
  const kept = new Map<string, Kept>();
  const holds = createHolds();
  const blobs = new Map<string, Uint8Array>();
  const of = (id: string): Kept => {
    const found = kept.get(id);
    if (!found) throw noProject(id, { place: PLACE });
    return found;
  };
  return {
    place: PLACE,
    projects: async () => [...kept.values()].map(({ project }) => project).sort(newestFirst),
    project: async (id) => kept.get(id)?.project ?? null,
    addProject: async (project) => {
      if (kept.has(project.id)) return false;
      const held = holds.bytes(project.data.sha256);
      if (held) blobs.set(project.data.sha256, held);
      kept.set(project.id, {
        project: structuredClone(project),
        entries: [],
        byId: new Map(),
        runs: new Map(),
        artifacts: new Map(),
        taken: 0,
      });
      return true;
    },
    replaceProject: async (project) => {
      of(project.id).project = structuredClone(project);
    },
    deleteProject: async (id) => {
      const gone = kept.get(id)?.project.data.sha256;
      kept.delete(id);
      if (gone && ![...kept.values()].some(({ project }) => project.data.sha256 === gone)) blobs.delete(gone);
    },
    hold: holds.hold,
    release: async (sha256) => holds.release(sha256),
    blob: async (sha256) => (holds.bytes(sha256) ?? blobs.get(sha256))?.slice() ?? null,
    hasBlob: async (sha256) => holds.bytes(sha256) !== undefined || blobs.has(sha256),
    append: async (id, entries, at) => {
      const { entries: log, byId } = of(id);
      return entries.map((entry) => {
        const known = byId.get(entry.id);
        if (known) return known;
        const kept: Entry = { ...structuredClone(entry), seq: log.length + 1, at };
        log.push(kept);
        byId.set(kept.id, kept);
        return kept;
      });
    },
    entries: async (id, since) => of(id).entries.slice(since),
    takeRunNumber: async (id) => ++of(id).taken,
    putRun: async (id, run) => void of(id).runs.set(run.number, structuredClone(run)),
    runs: async (id) => [...of(id).runs.values()].sort((a, b) => a.number - b.number),
    run: async (id, number) => of(id).runs.get(number) ?? null,
    putArtifact: async (id, run, name, text) => void of(id).artifacts.set(`${run} ${name}`, text),
    artifact: async (id, run, name) => of(id).artifacts.get(`${run} ${name}`) ?? null,
    close: async () => undefined,
  };
}

function newestFirst(a: StoredProject, b: StoredProject): number {
  return a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : a.id < b.id ? -1 : 1;
}
