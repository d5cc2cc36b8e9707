/**
 * `npm run test:schemathesis [-- --max-examples N]`: requests that schemathesis makes up from the studio's /openapi.json. None may be answered
 * with a server error. The tool is a Python package; it is taken from SCHEMATHESIS, or put into a virtual environment of its own.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "4.32.5";
const TOKEN = "schemathesis";
const root = fileURLToPath(new URL("..", import.meta.url));

function tool() {
  if (process.env.SCHEMATHESIS) return process.env.SCHEMATHESIS;
  const environment = join(root, "node_modules/.cache", `schemathesis-${VERSION}`);
  const found = join(environment, "bin/schemathesis");
  if (!existsSync(found)) {
    execFileSync("python3", ["-m", "venv", environment], { stdio: "inherit" });
    execFileSync(join(environment, "bin/pip"), ["install", "--quiet", `schemathesis==${VERSION}`], { stdio: "inherit" });
  }
  return found;
}

function addressOf(child) {
  return new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const [address] = text.match(/http:\/\/\S+/) ?? [];
      if (address) found(new URL(address).origin);
    });
    child.once("exit", () => failed(new Error("The studio did not start.")));
  });
}

const program = tool();
const folder = mkdtempSync(join(tmpdir(), "coterie-schemathesis-"));
const args = [join(root, "packages/cli/bin/coterie.js"), "studio", "penguins", "--no-open", "--port", "0", "--token", TOKEN];
const studio = spawn(process.execPath, [...args, "--folder", folder], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const address = await addressOf(studio);
  const given = process.argv.slice(2);
  const { status } = spawnSync(
    program,
    [
      "run",
      `${address}/openapi.json`,
      ...["--header", `Authorization: Bearer ${TOKEN}`, "--checks", "not_a_server_error", "--phases", "coverage,fuzzing"],
      ...(given.length > 0 ? given : ["--max-examples", "50"]),
    ],
    // It keeps its examples where it is started.
    { stdio: "inherit", cwd: folder },
  );
  // A studio that is gone would have answered nothing badly.
  const alive = await fetch(`${address}/api/info`, { headers: { authorization: `Bearer ${TOKEN}` } });
  process.exitCode = alive.ok ? (status ?? 1) : 1;
} finally {
  studio.kill("SIGINT");
  await new Promise((ended) => studio.once("exit", ended));
  rmSync(folder, { recursive: true, force: true });
}
