/** `coterie completion`: completion scripts for shells, made from the same table of flags as the help. */
import { type Command, GLOBAL_FLAGS } from "../command.js";

import { type Flag, UsageError } from "../flags.js";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** The commands are passed in, because this module cannot import their index: the index imports this module. */
export const completionCommand = (allCommands: () => Promise<readonly Command[]>): Command => ({
  name: "completion",
  summary: "Prints a completion script for bash, zsh or fish.",
  usage: ["completion bash|zsh|fish"],
  flags: [],
  examples: {
    "complete in this bash session": 'eval "$(coterie completion bash)"',
    "complete in every fish session": "coterie completion fish > ~/.config/fish/completions/coterie.fish",
  },
  async run({ positionals }, io) {
    const shell = SHELLS.find((name) => name === positionals[0]);
    if (!shell || positionals.length > 1) throw new UsageError(`Name one shell: ${SHELLS.join(", ")}.`);
    await io.out(SCRIPTS[shell](await tableOfFlags(await allCommands())));
    return 0;
  },
});

interface Row {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
}

async function tableOfFlags(commands: readonly Command[]): Promise<Row[]> {
  return await Promise.all(
    commands.map(async ({ name, summary, flags, moreFlags }) => {
      const more = moreFlags ? await moreFlags({ values: {}, positionals: [] }) : [];
      return { name, summary, flags: [...flags, ...more, ...GLOBAL_FLAGS] };
    }),
  );
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (rows: readonly Row[]) => string>> = { bash, zsh, fish };

function bash(rows: readonly Row[]): string {
  const cases = rows.map(({ name, flags }) => `    ${name}) words="${flags.map((flag) => `--${flag.name}`).join(" ")}" ;;`);
  const choices = uniqueChoices(rows).map(
    ([name, words]) => `    --${name}) COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word")); return ;;`,
  );
  return `_coterie() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  case "$previous" in
${choices.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${rows.map((row) => row.name).join(" ")} --help --version"; fi
  if [[ "$word" == -* || "$COMP_CWORD" -eq 1 ]]; then COMPREPLY=($(compgen -W "$words" -- "$word"));
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _coterie coterie
`;
}

function zsh(rows: readonly Row[]): string {
  const commands = rows.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`).join("\n");
  const cases = rows
    .map(({ name, flags }) => `    ${name}) _arguments ${flags.map(zshFlag).join(" ")} '*:file:_files' ;;`)
    .join("\n");
  return `#compdef coterie
_coterie() {
  local -a commands=(
${commands}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="\${words[2]}"
  shift words; (( CURRENT-- ))
  case "$command" in
${cases}
  esac
}
compdef _coterie coterie
`;
}

function zshFlag({ name, description, value, choices }: Flag): string {
  const action = choices ? `(${choices.join(" ")})` : "_files";
  return `'--${name}[${quoted(description).replaceAll("[", "(").replaceAll("]", ")")}]${value ? `:${value}:${action}` : ""}'`;
}

function fish(rows: readonly Row[]): string {
  const commands = rows.map(
    ({ name, summary }) => `complete -c coterie -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`,
  );
  const flags = rows.flatMap(({ name, flags: own }) =>
    own.map(({ name: flag, short, value, choices, description }) =>
      [
        `complete -c coterie -n '__fish_seen_subcommand_from ${name}' -l ${flag}`,
        short ? `-s ${short}` : "",
        value ? "-r" : "",
        choices ? `-f -a '${choices.join(" ")}'` : "",
        `-d '${quoted(description)}'`,
      ]
        .filter((part) => part !== "")
        .join(" "),
    ),
  );
  return `${[...commands, ...flags].join("\n")}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "’").replaceAll(":", " -");
}

function uniqueChoices(rows: readonly Row[]): [string, readonly string[]][] {
  const choices = new Map<string, readonly string[]>();
  for (const { flags } of rows) for (const flag of flags) if (flag.choices) choices.set(flag.name, flag.choices);
  return [...choices];
}
