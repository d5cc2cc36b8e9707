/** Made-up data for the tests of this package: blobs from a small seeded generator, constraint sets, reports. */
import type { ClusterTree, ConstraintSet, Instances, Points, Report, RunInRows, TreeNode } from "@coterie/core/internal";

export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** k round clouds of n rows in d columns, with the cloud of each row, numbered by first appearance. */
export function blobs(n: number, d: number, k: number, seed = 1): { points: Points; labels: Int32Array } {
  const random = randomFrom(seed);
  const bell = () => (random() + random() + random() + random() - 2) * 1.7;
  const centres = Array.from({ length: k }, () => Array.from({ length: d }, () => bell() * 5));
  const x = new Float64Array(n * d);
  const labels = new Int32Array(n);
  const number = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const cloud = Math.floor(random() * k);
    if (!number.has(cloud)) number.set(cloud, number.size);
    labels[i] = number.get(cloud)!;
    for (let j = 0; j < d; j++) x[i * d + j] = centres[cloud]![j]! + bell();
  }
  return { points: { n, d, x, names: Array.from({ length: d }, (_, j) => `f${j}`) }, labels };
}

export function constraintSet(
  n: number,
  given: {
    readonly mustLink?: readonly (readonly [number, number])[];
    readonly cannotLink?: readonly (readonly [number, number])[];
    readonly relative?: readonly (readonly [number, number, number])[];
    readonly labels?: readonly (readonly [row: number, code: number])[];
  },
): ConstraintSet {
  const column = (lists: readonly (readonly number[])[] = [], at: number) => Int32Array.from(lists, (s) => s[at]!);
  const links = (lists: readonly (readonly number[])[] = []) => ({
    a: column(lists, 0),
    b: column(lists, 1),
    weight: new Float64Array(lists.length).fill(1),
  });
  return {
    n,
    mustLinks: links(given.mustLink),
    cannotLinks: links(given.cannotLink),
    relative: { ...links(given.relative), c: column(given.relative, 2) },
    labels: {
      row: column(given.labels, 0),
      code: column(given.labels, 1),
      weight: new Float64Array(given.labels?.length ?? 0).fill(1),
      names: ["x", "y"],
    },
    exclusive: [],
  };
}

export function reportOf(
  instances: Instances,
  labels: Int32Array,
  more: Partial<RunInRows> = {},
): RunInRows & Pick<Report, "options"> {
  const sizes: number[] = [];
  for (const cluster of labels) if (cluster >= 0) sizes[cluster] = (sizes[cluster] ?? 0) + 1;
  return {
    algorithm: "kmeans",
    version: "0.1.0",
    options: { k: sizes.length, restarts: 10 },
    seed: 7,
    instances: instances.n,
    features: instances.names ?? [],
    k: sizes.length,
    labels,
    sizes,
    noise: labels.filter((cluster) => cluster < 0).length,
    violations: { mustLink: [], cannotLink: [], relative: [], labels: [], exclusive: [] },
    notices: [],
    timings: { total: 12 },
    ...more,
  };
}

export const leaf = (cluster: number, size: number): TreeNode => ({ cluster, size });

/** A tree with this number of leaves, whose splits are random. */
export function grown(leaves: number): ClusterTree {
  const random = randomFrom(leaves);
  const make = (count: number): TreeNode => {
    if (count === 1) return leaf(Math.floor(random() * 7), 1 + Math.floor(random() * 90));
    const first = 1 + Math.floor(random() * (count - 1));
    const [yes, no] = [make(first), make(count - first)];
    return { test: { column: `pixel_${count}`, above: count / 2 }, size: yes.size + no.size, yes, no };
  };
  return { leaves, root: make(leaves) };
}

/** How often `pattern` occurs. */
export function times(text: string, pattern: string): number {
  return text.split(pattern).length - 1;
}

/** The group of marks with an `aria-label`, without nested groups. */
export function group(svg: string, name: string): string {
  return new RegExp(`<g aria-label="${name}"[^>]*>(.*?)</g>`).exec(svg)?.[1] ?? "";
}

/** The first problem of XML that has elements, attributes in double quotes and text only; null when it is well formed. */
export function malformed(xml: string): string | null {
  const open: string[] = [];
  let rest = xml;
  while (rest !== "") {
    const text = /^[^<]+/.exec(rest)?.[0];
    if (text !== undefined) {
      if (/&(?!(amp|lt|gt|quot|#39);)/.test(text)) return `bare ampersand in "${text.slice(0, 40)}"`;
      rest = rest.slice(text.length);
      continue;
    }
    const tag = /^<(\/?)([a-zA-Z]+)((?: [a-zA-Z][a-zA-Z0-9:-]*="[^"<]*")*)(\/?)>/.exec(rest);
    if (!tag) return `broken tag at "${rest.slice(0, 60)}"`;
    const [whole, closing, name, , empty] = tag;
    if (closing === "/") {
      if (open.pop() !== name) return `unexpected </${name}>`;
    } else if (empty !== "/") open.push(name!);
    rest = rest.slice(whole.length);
  }
  return open.length === 0 ? null : `unclosed <${open.at(-1)}>`;
}
