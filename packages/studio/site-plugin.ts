/** What the static site needs beside its page: the page as index.html, sample sets, and a worker that keeps it offline. */
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const samples = new URL("../data/samples/", import.meta.url);

const SAMPLES = [
  {
    name: "penguins",
    about: "three species by bill, flipper and mass",
    rows: 344,
    columns: 7,
    goodFor: "first look, mixed columns",
    classes: 3,
    nominal: false,
  },
  {
    name: "wine",
    about: "three growers by 13 chemical measures",
    rows: 178,
    columns: 14,
    goodFor: "learned metrics",
    classes: 3,
    nominal: false,
  },
  {
    name: "iris-fisher",
    about: "three species of iris by four measures",
    rows: 150,
    columns: 5,
    goodFor: "a small start",
    classes: 3,
    nominal: false,
  },
];

export function sitePlugin(): Plugin {
  return {
    name: "coterie-site",
    generateBundle(_, bundle) {
      const here = SAMPLES.filter(({ name }) => hasSample(name));
      for (const { name } of here)
        this.emitFile({ type: "asset", fileName: `samples/${name}.csv`, source: readFileSync(new URL(`${name}.csv`, samples)) });
      this.emitFile({ type: "asset", fileName: "samples/index.json", source: JSON.stringify(here) });
      const files = [
        "./",
        "./theme.js",
        "./icon.svg",
        "./site.webmanifest",
        "./samples/index.json",
        ...here.map(({ name }) => `./samples/${name}.csv`),
      ];
      // Files that are loaded only on request are not stored at the start.
      for (const name of Object.keys(bundle)) if (!/\.(html|wasm)$/.test(name)) files.push(`./${name}`);
      this.emitFile({ type: "asset", fileName: "offline.js", source: offline(files) });
    },
    writeBundle({ dir }) {
      renameSync(join(dir!, "site.html"), join(dir!, "index.html"));
    },
  };
}

function hasSample(name: string): boolean {
  try {
    readFileSync(new URL(`${name}.csv`, samples));
    return true;
  } catch {
    return false;
  }
}

/** File names contain a hash of the content, so each build has a new cache. */
function offline(files: readonly string[]): string {
  const name = `coterie-${files.join().length}-${[...files.join()].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 7)}`;
  return `const NAME = ${JSON.stringify(name)};
const FILES = ${JSON.stringify(files)};
addEventListener("install", (event) => event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name !== NAME && name.startsWith("coterie-")).map((name) => caches.delete(name)))).then(() => clients.claim())));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
});
`;
}
