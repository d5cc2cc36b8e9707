/** The studio's pages: the files of its build, listed once, so that no path can lead elsewhere. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

export interface SiteFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly lasting: boolean;
}

export interface Site {
  /** The file at a path; pages of the app's own making get its first page; null for what is not there. */
  file(path: string): SiteFile | null;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
  txt: "text/plain; charset=utf-8",
  map: "application/json",
};

const NOT_BUILT = `<!doctype html><html lang="en"><title>Coterie studio</title><h1>Coterie studio</h1>
<p>The pages of the studio are not built yet. Run <code>npm run build</code>, then start again. The server itself is up.</p></html>
`;

export function openSite(folder: string | undefined): Site {
  const files = new Map(
    (folder === undefined ? [] : filesIn(folder)).map((path) => [`/${relative(folder!, path).split(sep).join("/")}`, path]),
  );
  const kept = new Map<string, SiteFile>();
  const read = (name: string): SiteFile | null => {
    const path = files.get(name);
    if (path === undefined) return null;
    const known = kept.get(name);
    if (known) return known;
    const file = { bytes: Uint8Array.from(readFileSync(path)), type: typeOf(name), lasting: name.startsWith("/assets/") };
    kept.set(name, file);
    return file;
  };
  const first = (): SiteFile =>
    read("/index.html") ?? { bytes: Uint8Array.from(Buffer.from(NOT_BUILT)), type: TYPES.html!, lasting: false };
  return {
    file(path) {
      if (path === "/" || path === "/index.html") return first();
      return read(path) ?? (/\.[a-z0-9]+$/i.test(path) ? null : first());
    },
  };
}

function typeOf(name: string): string {
  return TYPES[/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";
}

function filesIn(folder: string): string[] {
  let names: { name: string; isDirectory(): boolean; isFile(): boolean }[];
  try {
    names = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return names.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}
