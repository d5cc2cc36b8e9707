/** Words for a shell, so that a command that is told can be taken as it stands, whatever a file or a column is called. */

/** Nothing in these means anything to a shell; zsh takes a word that begins with = for a program. */
const HARMLESS = /^(?!=)[\p{L}\p{N}_@%+=:,./-]+$/u;
/** What neither a terminal nor a line of text should carry. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** In double quotes these mean something to a shell; cmd.exe alone knows no other quotes. */
const ACTIVE = /["$`\\!]/u;

/**
 * One word: quoted where a shell would read it in another way. Double quotes hold in POSIX shells, PowerShell and cmd.exe, so they are
 * used wherever they can be; a word with a sign that means something in them stands in single quotes, which cmd.exe does not know. Hidden
 * signs are written as bash, zsh and ksh read them.
 */
export function shellWord(word: string): string {
  if (HARMLESS.test(word)) return word;
  if (!HIDDEN.test(word) && !ACTIVE.test(word)) return `"${word}"`;
  if (!HIDDEN.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${[...word].map(escaped).join("")}'`;
}

/** The name of a file where a flag could stand. */
export function shellFile(name: string): string {
  return shellWord(name.startsWith("-") ? `./${name}` : name);
}

/** A flag with its value, which may begin with a minus. */
export function shellFlag(flag: string, value: string): string {
  return `${flag}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`;
}

/** A flag that takes a list, with one name in it. */
export function shellListFlag(flag: string, name: string): string {
  return shellFlag(flag, name.replaceAll(",", "\\,"));
}

/** An address that may be shown: the token behind it stays out. */
export function withoutToken(address: string): string {
  return address.replace(/;token=[^;]*/gi, ";token=TOKEN");
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "'": "\\'", "\\": "\\\\" };

function escaped(sign: string): string {
  const short = SHORT[sign];
  if (short !== undefined) return short;
  if (!HIDDEN.test(sign)) return sign;
  const code = sign.codePointAt(0)!;
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
