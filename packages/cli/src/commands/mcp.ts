/** `coterie mcp`: a server for language models, over standard input and output. */
import { badOption } from "@coterie/core/errors";
import type { Command, Io } from "../command.js";
import { flagList, numberOf, type Parsed, UsageError } from "../flags.js";
import { createFolders } from "../mcp/folders.js";

const MEGABYTE = 2 ** 20;
const USUAL_LARGEST = 200;

export const mcpCommand: Command = {
  name: "mcp",
  summary: "Serves tools for language models (Model Context Protocol) over the tables of folders that you name.",
  usage: ["mcp FOLDER… [--largest MB]"],
  flags: flagList({
    "--largest X": `largest file that the tools read, in MB (default: ${USUAL_LARGEST})`,
  }),
  notes: [
    "The tools are table_schema, diagnose, ask, answer, cluster, explain and export. They read and write only in the named folders, and use no network. A file is replaced only if the model sets overwrite.",
    "The server speaks over standard input and output, as programs for language models expect. It ends when its input ends.",
  ],
  examples: {
    "the entry in the configuration of a program for language models":
      '{ "mcpServers": { "coterie": { "command": "coterie", "args": ["mcp", "/home/ann/tables"] } } }',
  },
  run: serve,
};

async function serve({ values, positionals }: Parsed, io: Io): Promise<number> {
  if (positionals.length === 0) throw new UsageError("Name the folders that the model can use: coterie mcp FOLDER.");
  const largest = numberOf(values, "largest") ?? USUAL_LARGEST;
  if (!(largest > 0)) throw badOption("--largest", largest, "a number of megabytes above 0");
  const folders = createFolders(positionals, largest * MEGABYTE);
  const [{ createMcpServer }, { StdioServerTransport }] = await Promise.all([
    import("../mcp/server.js"),
    import("@modelcontextprotocol/sdk/server/stdio.js"),
  ]);
  const { server, close } = createMcpServer(folders);
  const { stdin, stdout } = process;
  const transport = new StdioServerTransport(stdin, stdout);
  const ended = new Promise<void>((resolve) => {
    stdin.once("end", resolve).once("close", resolve);
    io.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.connect(transport);
  if (!values.quiet) io.say(`Coterie serves ${positionals.join(", ")} to a language model over standard input and output.`);
  await ended;
  await close();
  return 0;
}
