/**
 * Prepares texts for pages that are sent to other people. An absolute path is cut to its last part, because its folders are useless to the
 * reader and can be private. Notices about options are shown beside the command, because only a person who runs the command again needs
 * them.
 */

/** An absolute path in a text: POSIX, home folder, Windows, network share, or file URL. */
const ABSOLUTE = /(?<![\w./~\\-])(?:file:\/\/)?(?:~?\/|[A-Za-z]:[\\/]|\\\\)(?:[^\s'"/\\:*?<>|]+[\\/])+([^\s'"/\\:*?<>|]*)/g;

/** Shortens all absolute paths in a text to their last part. files: known paths, needed to find paths that contain spaces. */
export function withoutFolders(text: string, files: readonly string[] = []): string {
  const known = files.filter((file) => lastPart(file) !== file && lastPart(file) !== "").sort((a, b) => b.length - a.length);
  return known.reduce((rest, file) => rest.replaceAll(file, () => lastPart(file)), text).replace(ABSOLUTE, "$1");
}

const OPTION = /(?:^|[\s(])--[a-z]/;

/** Divides notices in two: notices for every reader of a page, and notices for a person who makes the page again. */
export function noticesOf(
  notices: readonly string[],
  files: readonly string[] | undefined,
): { readonly forReaders: readonly string[]; readonly forMakers: readonly string[] } {
  const shown = notices.map((notice) => withoutFolders(notice, files));
  const forMakers = shown.filter((notice) => OPTION.test(notice));
  return { forReaders: shown.filter((notice) => !OPTION.test(notice)), forMakers };
}

/** The last part of an absolute path. A relative path is returned unchanged. */
function lastPart(file: string): string {
  return /^(?:~?\/|[A-Za-z]:[\\/]|\\\\|file:)/.test(file) ? (file.split(/[\\/]/).at(-1) ?? "") : file;
}
