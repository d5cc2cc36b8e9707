/** `coterie studio`: starts the web studio on loopback and opens it in the browser. */
import { spawn } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { badInput, badOption } from "@coterie/core/errors";
import { openBytes } from "@coterie/data";
import { moveProjects, StoreError, type Studio, startStudio } from "@coterie/server";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { flagList, listOf, numberOf, type Parsed, textOf, UsageError, type Values } from "../flags.js";
import { tableOptions } from "../inputs.js";
import { VERSION } from "../version.js";

/** The first port to try, so that the address usually stays the same. If it is taken, the system chooses another port. */
const USUAL_PORT = 4747;

/** Fewest characters of an access token. Another program on this machine could guess a shorter token. */
const LEAST_TOKEN = 8;

/** Flags about reading the table. The studio itself can set the further options. */
const READING = ["id", "truth", "features", "ignore", "nominal", "scale", "missing", "delimiter", "decimal"];

export const studioCommand: Command = {
  name: "studio",
  summary: "Opens the web studio: look at the data, add constraints, answer questions, understand the clusters.",
  usage: ["studio [DATA] [--port P] [--no-open] [--token T] [--folder F]"],
  flags: [
    ...flagList({
      "--port P": `port on loopback; 0 for any free port (default: ${USUAL_PORT}, or any free port if it is taken)`,
      "--no-open": "do not open a browser, only print the address",
      "--token T": `secret in the address, ${LEAST_TOKEN} characters or more (default: a new random token)`,
      "--folder F": "folder for projects (default: a folder in your home)",
      "--framed": "let notebooks on this machine show the studio in a frame; the studio then ends when standard input ends",
    }),
    CONSTRAINT_FLAG,
    ...DATA_FLAGS.filter(({ name }) => READING.includes(name)),
  ],
  notes: [
    "DATA is a table or the name of a sample set. The studio opens its project, or creates one. If a column has names of image files, the studio shows the images that lie in the same folder as DATA.",
    "The studio goes on with the log of answers of `coterie ask`: --constraints DATA.answers.jsonl. The studio exports such a log for `coterie ask --resume`.",
    "The studio accepts connections from this machine only, and only with the token. Every answer is on disk before it is confirmed. Ctrl-C stops the studio.",
    "Earlier versions kept projects in coterie-output/studio. If you start the studio in the directory that contains coterie-output, it moves these projects into its own folder (--folder).",
    "The HTTP interface is described at /openapi.json. Pass the token as ?token= or as Authorization: Bearer.",
  ],
  examples: {
    "open a sample data set": "coterie studio penguins",
    "use another port, and open no browser": "coterie studio sales.csv --id customer --port 8080 --no-open",
  },
  run: studio,
};

async function studio({ values, positionals }: Parsed, io: Io): Promise<number> {
  const [data, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`One table at a time: what is "${rest[0]}"?`);
  if (data === "-") throw new UsageError("The studio cannot read a table from standard input: save it in a file first.");
  const started = await start(values, io);
  try {
    const project = data === undefined ? undefined : await started.open(data, readingFrom(values));
    for (const file of listOf(values, "constraints") ?? []) await bring(started, project?.id, file);
    await io.out(`Coterie studio: ${started.address}\n`);
    if (!values["no-open"]) openBrowser(leadingPage(folderFrom(values, io), started.address), io);
    await Promise.race([untilInterrupted(io.signal), ...(values.framed ? [untilInputEnds()] : [])]);
  } finally {
    rmSync(leadingPageOf(folderFrom(values, io)), { force: true });
    await started.close();
  }
  if (!values.quiet) io.say("The studio is closed; everything is saved.");
  return 0;
}

async function bring({ workbench }: Studio, project: string | undefined, file: string): Promise<void> {
  if (project === undefined)
    throw new UsageError("Constraints are about rows: name the table, coterie studio DATA --constraints FILE.");
  const pieces: Uint8Array[] = [];
  for await (const piece of (await openBytes(file)).chunks) pieces.push(piece.slice());
  const by = userInfo().username || "me";
  const kind = file.endsWith(".jsonl") ? "answers" : "constraints";
  const bytes = new Uint8Array(Buffer.concat(pieces));
  await workbench.call("importConstraints", { project, name: basename(file), by, kind, bytes });
}

function readingFrom(values: Values): Record<string, unknown> {
  return { ...tableOptions(values) };
}

async function start(values: Values, io: Io): Promise<Studio> {
  const port = numberOf(values, "port");
  const token = textOf(values, "token");
  if (token !== undefined && token.length < LEAST_TOKEN)
    throw new UsageError(
      `--token needs ${LEAST_TOKEN} characters or more, or another program on this machine could guess it. Without --token there is a new one each time.`,
    );
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw badOption("--port", port, "a number from 0 to 65535");
  const folder = folderFrom(values, io);
  if (values.folder === undefined) await bringEarlier(folder, values, io);
  const options = {
    folder,
    version: VERSION,
    site: siteFolder(),
    framed: values.framed === true,
    ...(token === undefined ? {} : { token }),
    onBug: (error: unknown) => io.say(`coterie: this is a bug in Coterie, please report it: ${String(error)}`),
  };
  try {
    if (port !== undefined) return await startStudio({ ...options, port });
    return await startStudio({ ...options, port: USUAL_PORT }).catch((error: unknown) => {
      if (error instanceof Error && /^Port \d+ /.test(error.message)) return startStudio({ ...options, port: 0 });
      throw error;
    });
  } catch (error) {
    if (error instanceof StoreError) throw badInput(error.message);
    throw error;
  }
}

/** The folder in which earlier versions of `npm start` kept projects, inside the checkout of Coterie. */
const EARLIER = join("coterie-output", "studio");

/** Moves projects from the folder of earlier versions. If that fails, the projects stay there and a message says so. */
async function bringEarlier(folder: string, values: Values, io: Io): Promise<void> {
  const earlier = resolve(EARLIER);
  try {
    const count = await moveProjects(earlier, resolve(folder));
    if (count > 0 && !values.quiet)
      io.say(`${count === 1 ? "A project" : `${count} projects`} of ${earlier} ${count === 1 ? "is" : "are"} in ${folder} now.`);
  } catch (error) {
    io.say(`coterie: the projects in ${earlier} were left there: ${(error as Error).message}`);
  }
}

function folderFrom(values: Values, { env }: Io): string {
  if (values.folder === "") throw new UsageError("--folder needs the name of a folder.");
  const data = env.XDG_DATA_HOME;
  return textOf(values, "folder") ?? join(data && data !== "" ? data : join(homedir(), ".local", "share"), "coterie", "studio");
}

function siteFolder(): string | undefined {
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve("@coterie/studio/package.json")), "dist");
    return existsSync(join(folder, "index.html")) ? resolve(folder) : undefined;
  } catch {
    return undefined;
  }
}

function leadingPageOf(folder: string): string {
  return join(resolve(folder), "open-studio.html");
}

/**
 * Writes a page that redirects to the studio. Only this user can read the page. The browser opens the page instead of the studio's address:
 * the address contains the access token, and the list of processes would show it.
 */
function leadingPage(folder: string, address: string): string | undefined {
  const page = leadingPageOf(folder);
  const escaped = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const head = `<!doctype html><meta charset="utf-8"><title>Coterie studio</title><meta name="referrer" content="no-referrer">`;
  try {
    rmSync(page, { force: true });
    writeFileSync(
      page,
      `${head}<meta http-equiv="refresh" content="0; url=${escaped}"><a href="${escaped}">Coterie studio</a>\n`,
      {
        mode: 0o600,
        flag: "wx",
      },
    );
    return pathToFileURL(page).href;
  } catch {
    return undefined;
  }
}

function openBrowser(address: string | undefined, { env }: Io): void {
  if (address === undefined) return;
  const [command, ...args] =
    env.BROWSER !== undefined && env.BROWSER !== ""
      ? [env.BROWSER]
      : process.platform === "darwin"
        ? ["open"]
        : process.platform === "win32"
          ? ["cmd", "/c", "start", ""]
          : ["xdg-open"];
  const child = spawn(command!, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

/** Resolves when the program that started the studio has ended or closes the pipe. */
function untilInputEnds(): Promise<void> {
  return new Promise((done) => {
    process.stdin.once("end", done).once("close", done).resume();
  });
}

function untilInterrupted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
