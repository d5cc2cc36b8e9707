/** The command `coterie studio` in a process of its own, on a free port. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../packages/cli/bin/coterie.js", import.meta.url));

/**
 * Starts the studio. Resolves when it listens; `stop` resolves when it has ended.
 *
 * @param {string} folder
 * @param {string} token
 * @returns {Promise<{ origin: string, stop: () => Promise<void> }>}
 */
export async function serveStudio(folder, token) {
  const args = [bin, "studio", "--no-open", "--port", "0", "--token", token, "--folder", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  /** @type {string} */
  const origin = await new Promise((found, failed) => {
    let text = "";
    const read = (/** @type {Buffer} */ data) => {
      text += String(data);
      const match = text.match(/Coterie studio: (http:\/\/\S+)/);
      if (match?.[1]) found(new URL(match[1]).origin);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => failed(new Error(`The studio did not start: ${text}`)));
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await ended;
  };
  return { origin, stop };
}
