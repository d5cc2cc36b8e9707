/**
 * Chunks of DuckDB's are freed by finalizers, which wait for a collection; JavaScript sees a small object and none of the memory
 * behind it, so it would wait long. A small collection after every few chunks keeps the process small.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options?: { readonly type: "minor" }) => void;

/** 64 chunks of 2,048 rows of 16 doubles are 16 MB. */
const CHUNKS = 64;

let found: Collect | undefined;

/** Node hands out its collector only when it is told to. */
function collectorOfNode(): Collect {
  if (found) return found;
  setFlagsFromString("--expose-gc");
  found = runInNewContext("gc") as Collect;
  return found;
}

/** To be called once a chunk. */
export function collector(): () => void {
  let chunks = 0;
  return () => {
    chunks++;
    if (chunks % CHUNKS === 0) collectorOfNode()({ type: "minor" });
  };
}
