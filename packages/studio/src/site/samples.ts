/** The sample sets that lie beside the page. */
import type { SampleSource } from "@coterie/workbench";

interface SiteSample {
  readonly name: string;
  readonly about: string;
  readonly rows: number;
  readonly columns: number;
  readonly goodFor: string;
  readonly classes: number;
  readonly nominal: boolean;
}

/** The worker's file lies in a folder of its own beside the samples'. */
const folder = new URL("../samples/", self.location.href);

async function listed(): Promise<readonly SiteSample[]> {
  const reply = await fetch(new URL("index.json", folder)).catch(() => null);
  return reply?.ok ? ((await reply.json()) as SiteSample[]) : [];
}

export const siteSamples: SampleSource = {
  list: async () => (await listed()).map(({ name, about, rows, columns, goodFor }) => ({ name, about, rows, columns, goodFor })),
  open: async (name) => {
    const sample = (await listed()).find((each) => each.name === name);
    const reply = sample ? await fetch(new URL(`${encodeURIComponent(name)}.csv`, folder)) : null;
    if (!sample || !reply?.ok) return null;
    const scale = sample.nominal ? "none" : "zscore";
    const bytes = new Uint8Array(await reply.arrayBuffer());
    return { file: `${name}.csv`, bytes, reading: { truth: "class", scale }, k: sample.classes };
  },
};
