/** Quotes text for a shell, so that a printed command also runs with unusual names of files and columns. */

/** Characters without a special meaning in a shell. zsh treats a word that begins with = as a program. */
const HARMLESS = /^(?!=)[\p{L}\p{N}_@%+=:,./-]+$/u;
/** Characters that neither a terminal nor a line of text should contain. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** Characters that a shell interprets inside double quotes. */
const ACTIVE = /["$`\\!]/u;

/**
 * Quotes a word if the shell would interpret it. POSIX shells, PowerShell and cmd.exe all understand double quotes, so double quotes are
 * used where possible. A word that contains an active character gets single quotes, which cmd.exe does not understand. Hidden characters become
 * escapes that bash, zsh and ksh understand.
 */
export function shellWord(word: string): string {
  if (HARMLESS.test(word)) return word;
  if (!HIDDEN.test(word) && !ACTIVE.test(word)) return `"${word}"`;
  if (!HIDDEN.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${[...word].map(escaped).join("")}'`;
}

export function shellFile(name: string): string {
  return shellWord(name.startsWith("-") ? `./${name}` : name);
}

/** A flag with its value, quoted so that the value can begin with a minus. */
export function shellFlag(flag: string, value: string): string {
  return `${flag}${value.startsWith("-") ? "=" : " "}${shellWord(value)}`;
}

export function shellListFlag(flag: string, name: string): string {
  return shellFlag(flag, name.replaceAll(",", "\\,"));
}

/** Replaces the access token in an address, so that the address can be printed. */
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
