/**
 * Pages are sent to others. A path on somebody's machine is of no use to them and tells about its owner: of each only the last part
 * stays. A notice that names an option is for whoever runs the command again, and stands beside the command.
 */

/** An absolute path in running text: of POSIX, of a home folder, of Windows, of a share, or as an address. */
const ABSOLUTE = /(?<![\w./~\\-])(?:file:\/\/)?(?:~?\/|[A-Za-z]:[\\/]|\\\\)(?:[^\s'"/\\:*?<>|]+[\\/])+([^\s'"/\\:*?<>|]*)/g;

/** The text with paths as they may be shown; `files` are paths that are known to be in it, spaces and all. */
export function withoutFolders(text: string, files: readonly string[] = []): string {
  const known = files.filter((file) => lastPart(file) !== file && lastPart(file) !== "").sort((a, b) => b.length - a.length);
  return known.reduce((rest, file) => rest.replaceAll(file, () => lastPart(file)), text).replace(ABSOLUTE, "$1");
}

const OPTION = /(?:^|[\s(])--[a-z]/;

/** Notices as a page shows them: those for every reader, and those for whoever makes the page again. */
export function noticesOf(
  notices: readonly string[],
  files: readonly string[] | undefined,
): { readonly forReaders: readonly string[]; readonly forMakers: readonly string[] } {
  const shown = notices.map((notice) => withoutFolders(notice, files));
  const forMakers = shown.filter((notice) => OPTION.test(notice));
  return { forReaders: shown.filter((notice) => !OPTION.test(notice)), forMakers };
}

/** Relative paths stay: they lead to the file from where the page is. */
function lastPart(file: string): string {
  return /^(?:~?\/|[A-Za-z]:[\\/]|\\\\|file:)/.test(file) ? (file.split(/[\\/]/).at(-1) ?? "") : file;
}
