/** A command's page of the reference, from the data that its help is made of. */
import { GLOBAL_FLAGS } from "../../packages/cli/dist/command.js";
import { commandNames, findCommand } from "../../packages/cli/dist/commands/index.js";

const loaded = new Map(await Promise.all(commandNames().map(async ({ name }) => [name, await findCommand(name)])));

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function flagRows(flags) {
  return flags.map(({ name, short, value, description, choices }) => {
    const head = `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
    return `| \`${head.replaceAll("|", "\\|")}\` | ${cell(description)}${choices ? ` One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.` : ""} |`;
  });
}

const table = (flags) => `| option | what it does |\n|---|---|\n${flagRows(flags).join("\n")}\n`;

export function commandReference(name) {
  const command = loaded.get(name);
  if (!command) throw new Error(`There is no command "${name}".`);
  const examples = Object.entries(command.examples).map(([text, line]) => `# ${text}\n${line}`);
  return [
    `${command.summary}\n`,
    `## Usage\n\n\`\`\`text\n${command.usage.map((line) => `coterie ${line}`).join("\n")}\n\`\`\`\n`,
    `## Options\n\n${table(command.flags)}`,
    command.moreFlags
      ? `The ${command.moreOf ?? "method"} adds options of its own: \`coterie ${name} --help\` lists them${name === "cluster" ? ", and so does [each method's page](/methods/)" : ""}.\n`
      : "",
    `## Options of every command\n\n${table(GLOBAL_FLAGS)}`,
    `## Examples\n\n\`\`\`sh\n${examples.join("\n\n")}\n\`\`\`\n`,
  ].join("\n");
}
