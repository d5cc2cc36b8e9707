/** The Model Context Protocol server of `coterie mcp`: the tools with their schemas, over the official SDK. */
import { z } from "@coterie/core/internal";
import { replyTo } from "@coterie/workbench";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Watched } from "../stdio/answers.js";
import { VERSION } from "../version.js";
import type { Folders } from "./folders.js";
import { Work } from "./work.js";

const INSTRUCTIONS = `Coterie clusters the rows of tables under constraints. Begin with table_schema. Rows are named by ids, or by row numbers from 0 where the table has no id column.
What a person knows becomes must_link (these two rows belong together), cannot_link (they do not) and labels (class of a row). To find out what is worth knowing, call ask and pass each question to the person: only a person or a trustworthy source should answer.
Then cluster, explain what the clusters are, and export labels to a file. diagnose checks constraints.`;

const rowId = z.union([z.string().max(10_000), z.int()]);
const pairs = z.array(z.array(rowId).length(2)).max(100_000);

const table = {
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe("file: CSV, TSV, JSON lines, Parquet, Arrow, ARFF or .npy; relative to a folder of the server, or absolute"),
  id: z.string().optional().describe("column with unique row ids (default: a column that looks like ids)"),
  ignore: z.array(z.string()).max(10_000).optional().describe("columns to leave out of the distances"),
};

const known = {
  must_link: pairs.optional().describe("pairs of rows that belong together"),
  cannot_link: pairs.optional().describe("pairs of rows that must be in different clusters"),
  labels: z.array(z.array(rowId).length(2)).max(100_000).optional().describe("pairs of a row and its class"),
  constraint_files: z.array(z.string()).max(100).optional().describe("constraint files with the columns type,a,b,c,weight"),
};

const k = z.int().min(1);
const session = z.string().max(100).describe("the session that ask returned");
const READS = { readOnlyHint: true, openWorldHint: false };

export interface Serving {
  readonly server: McpServer;
  close(): Promise<void>;
}

export function createMcpServer(folders: Folders): Serving {
  const work = new Work(folders);
  const server = new McpServer({ name: "coterie", version: VERSION }, { instructions: INSTRUCTIONS });
  const tool = toolOn(server);
  tool(
    "table_schema",
    "Columns of a table with their types, the number of rows, and the first rows.",
    table,
    READS,
    (input, watched) => work.schema(input, watched),
  );
  tool(
    "diagnose",
    "Checks constraints: contradictions, whether k clusters can keep them, what to drop.",
    { ...table, k: k.optional(), ...known },
    READS,
    ({ k, ...input }, watched) => work.diagnose(input, k, input, watched),
  );
  tool(
    "ask",
    "Opens a dialogue and returns its first question: the rows whose answer helps most. Answer it with the tool answer.",
    { ...table, k: k.optional(), budget: z.int().min(1).max(10_000).default(20).describe("most questions"), ...known },
    READS,
    (input, watched) => work.ask(input, input, input, watched),
  );
  const answers = z.enum(["same", "different", "unsure", "a", "b", "c"]);
  const about = {
    confidence: z.number().min(0).max(1).optional().describe("from 0 to 1"),
    why: z.string().max(10_000).optional().describe("the reason, which is kept with the answer"),
  };
  tool(
    "answer",
    "Answers the current question of a dialogue, and returns the next one.",
    { session, answer: answers, ...about },
    { openWorldHint: false },
    (input, watched) => work.answer(input.session, input.answer, input, watched),
  );
  const count = z.union([k, z.array(k).length(2)]).optional();
  tool(
    "cluster",
    "Clusters the rows under constraints and the answers of a dialogue. Returns sizes, scores, broken constraints, and the number of the run.",
    {
      ...table,
      k: count.describe("number of clusters, or a range such as [2, 10]; some methods find it"),
      algorithm: z.string().max(100).optional().describe("method (default: auto with constraints, else kmeans)"),
      session: session.optional(),
      ...known,
    },
    READS,
    (input, watched) => work.cluster(input, input, input, watched),
  );
  const run = k.describe("the number of a run of cluster");
  tool(
    "explain",
    "Describes the clusters of a run by rules over the columns, and says how well the rules fit.",
    { run },
    READS,
    (input, watched) => work.explain(input.run, watched),
  );
  tool(
    "export",
    "Writes labels or constraints as CSV, or the report as JSON, to a file in a folder of the server.",
    {
      run,
      what: z.enum(["labels", "constraints", "report"]),
      path: z.string().min(1).max(4_096),
      overwrite: z.boolean().default(false),
    },
    { destructiveHint: true, openWorldHint: false },
    (input) => work.export(input.run, input.what, input.path, input.overwrite),
  );
  return {
    server,
    async close() {
      await server.close();
      await work.close();
    },
  };
}

type Shape = Record<string, z.ZodType>;
type Input<S extends Shape> = z.output<z.ZodObject<S>>;

function toolOn(server: McpServer) {
  return <S extends Shape>(
    name: string,
    description: string,
    shape: S,
    annotations: Readonly<Record<string, boolean>>,
    work: (input: Input<S>, watched: Watched) => Promise<Readonly<Record<string, unknown>>>,
  ): void => {
    server.registerTool(
      name,
      { description, inputSchema: z.strictObject(shape) as z.ZodObject, annotations },
      async (input, { signal }) => {
        try {
          const reply = await work(input as Input<S>, { signal, onStep: () => {} });
          return { content: [{ type: "text" as const, text: JSON.stringify(reply) }] };
        } catch (error) {
          const known = replyTo(error);
          const text = known?.problem.message ?? `This is a bug in Coterie, please report it: ${String(error)}`;
          return { isError: true, content: [{ type: "text" as const, text }] };
        }
      },
    );
  };
}
