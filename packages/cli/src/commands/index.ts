/** The commands by name. A command's module is loaded only when the command is called, so that the start is fast. */
import { nearestName } from "@coterie/core/names";
import type { Command } from "../command.js";

const COMMANDS: readonly { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> }[] = [
  {
    name: "cluster",
    summary: "cluster the rows of a table, with or without constraints",
    load: async () => (await import("./cluster.js")).clusterCommand,
  },
  {
    name: "predict",
    summary: "assign new rows to the clusters of a saved model",
    load: async () => (await import("./predict.js")).predictCommand,
  },
  {
    name: "explain",
    summary: "describe a given clustering by rules",
    load: async () => (await import("./explain.js")).explainCommand,
  },
  {
    name: "ask",
    summary: "ask which rows belong together, and cluster with the answers",
    load: async () => (await import("./ask.js")).askCommand,
  },
  {
    name: "evaluate",
    summary: "score a given clustering against known classes and constraints",
    load: async () => (await import("./evaluate.js")).evaluateCommand,
  },
  {
    name: "diagnose",
    summary: "check constraints: contradictions, feasibility, difficulty, what to drop",
    load: async () => (await import("./diagnose.js")).diagnoseCommand,
  },
  {
    name: "advise",
    summary: "recommend a method for a table and its constraints",
    load: async () => (await import("./advise.js")).adviseCommand,
  },
  {
    name: "compare",
    summary: "compare methods over numbers of constraints, in many runs",
    load: async () => (await import("./compare.js")).compareCommand,
  },
  {
    name: "constraints",
    summary: "generate, close and prune constraint sets",
    load: async () => (await import("./constraints.js")).constraintsCommand,
  },
  {
    name: "studio",
    summary: "open the web studio in the browser",
    load: async () => (await import("./studio.js")).studioCommand,
  },
  {
    name: "serve",
    summary: "answer requests of another program over standard input and output",
    load: async () => (await import("./serve.js")).serveCommand,
  },
  {
    name: "mcp",
    summary: "serve tools for language models over the tables of a folder",
    load: async () => (await import("./mcp.js")).mcpCommand,
  },
  {
    name: "reproduce",
    summary: "repeat the experiments of the papers and check their claims",
    load: async () => (await import("./reproduce.js")).reproduceCommand,
  },
  {
    name: "data",
    summary: "list, show and download sample data sets; make synthetic data sets",
    load: async () => (await import("./data.js")).dataCommand,
  },
  {
    name: "completion",
    summary: "print a completion script for a shell",
    load: async () => (await import("./completion.js")).completionCommand(allCommands),
  },
];

export function commandNames(): readonly { readonly name: string; readonly summary: string }[] {
  return COMMANDS;
}

export async function findCommand(name: string): Promise<Command | undefined> {
  return await COMMANDS.find((entry) => entry.name === name)?.load();
}

export async function findTopic(
  name: string,
): Promise<{ readonly command: Command; readonly args: readonly string[] } | undefined> {
  const command = await findCommand(name);
  if (command) return { command, args: [] };
  for (const { names, of, flag } of await choices())
    if (names.includes(name)) return { command: (await findCommand(of))!, args: [flag, name] };
  return undefined;
}

export async function nearestTopic(typed: string): Promise<string | undefined> {
  const names = (await choices()).flatMap((choice) => choice.names);
  return nearestName(typed, [...COMMANDS.map((entry) => entry.name), ...names]);
}

async function choices() {
  const { catalogue, strategies } = await import("@coterie/core/internal");
  return [
    { names: catalogue.map((method) => method.name), of: "cluster", flag: "--algorithm" },
    { names: strategies.map((strategy) => strategy.name), of: "ask", flag: "--strategy" },
  ];
}

async function allCommands(): Promise<readonly Command[]> {
  return await Promise.all(COMMANDS.map(({ load }) => load()));
}

export function nearestCommand(typed: string): string | undefined {
  return nearestName(
    typed,
    COMMANDS.map((entry) => entry.name),
  );
}
