/**
 * A real Spark cluster on loopback, for tests: `node tools/spark.mjs up` starts a master, two workers and a Connect server, `down`
 * stops them by the ids that `up` wrote down. Everything lies in the folder that COTERIE_SPARK names, or in .spark. Spark is pyspark's
 * wheel in a virtual environment of its own, on the machine's Java 17. COTERIE_SPARK_MEMORY gives an executor more than 2 GB of heap.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const VERSION = "4.3.0";
const root = fileURLToPath(new URL("..", import.meta.url));
export const folder = resolve(process.env.COTERIE_SPARK ?? join(root, ".spark"));
export const CONNECT_PORT = 15_002;
/** Of a server that asks for a token. */
const GUARDED_PORT = 15_003;
const MASTER_PORT = 7077;
const WORKERS = 2;
/** Gigabytes of heap of an executor; its worker offers one more. */
const EXECUTOR_GB = Number(process.env.COTERIE_SPARK_MEMORY ?? 2);
const PATIENCE_MS = 600_000;

/** The folder of pyspark in the virtual environment; installs it where it is missing. */
export function sparkHome() {
  const venv = join(folder, "venv");
  const found = () => {
    const lib = join(venv, "lib");
    const python = existsSync(lib) ? readdirSync(lib).find((name) => name.startsWith("python")) : undefined;
    const home = python && join(lib, python, "site-packages/pyspark");
    return home && existsSync(home) ? home : undefined;
  };
  if (found()) return found();
  mkdirSync(folder, { recursive: true });
  console.log(`Installing pyspark ${VERSION} into ${venv}: about 500 MB, once.`);
  execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
  execFileSync(join(venv, "bin/pip"), ["install", "-q", `pyspark==${VERSION}`], { stdio: "inherit" });
  return found();
}

function start(home, name, args, env = {}) {
  const log = openSync(join(folder, "logs", `${name}.log`), "w");
  const [program, ...rest] = args;
  const child = spawn(join(home, "bin", program), rest, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      SPARK_HOME: home,
      SPARK_LOCAL_IP: "127.0.0.1",
      PYSPARK_PYTHON: join(folder, "venv/bin/python"),
      ...env,
    },
  });
  child.unref();
  writeFileSync(join(folder, "pids", name), String(child.pid));
  return child;
}

export function isOpen(port) {
  return new Promise((done) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => done(true)).once("error", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function until(check, what) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`${what} did not start; see the logs in ${join(folder, "logs")}.`);
    await wait(200);
  }
}

export function startConnect(home = sparkHome()) {
  return connectServer(home, "connect", CONNECT_PORT, [
    ...["--master", `spark://127.0.0.1:${MASTER_PORT}`, "--executor-memory", `${EXECUTOR_GB}g`, "--executor-cores", "1"],
    ...["--conf", "spark.ui.port=4040"],
  ]);
}

/** One more, in one process, which asks for a token. */
export function startGuarded(token, home = sparkHome()) {
  return connectServer(home, "guarded", GUARDED_PORT, [
    ...["--master", "local[1]", "--conf", "spark.ui.enabled=false", "--conf", `spark.connect.authenticate.token=${token}`],
  ]);
}

function connectServer(home, name, port, more) {
  start(home, name, [
    "spark-submit",
    ...["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--name", `coterie-${name}`],
    ...["--driver-memory", "1g", ...more],
    ...["--conf", "spark.connect.grpc.binding.address=127.0.0.1", "--conf", `spark.connect.grpc.binding.port=${port}`],
    ...["--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1"],
    ...["--conf", `spark.sql.warehouse.dir=${join(folder, "warehouse")}`],
    "spark-internal",
  ]);
  return until(() => isOpen(port), "The Connect server");
}

export function startWorker(number, home = sparkHome()) {
  start(
    home,
    `worker-${number}`,
    [
      "spark-class",
      "org.apache.spark.deploy.worker.Worker",
      ...["--host", "127.0.0.1", "--cores", "1", "--memory", `${EXECUTOR_GB + 1}g`, "--webui-port", String(8080 + number)],
      ...["--work-dir", join(folder, `work-${number}`), `spark://127.0.0.1:${MASTER_PORT}`],
    ],
    { SPARK_DAEMON_MEMORY: "256m" },
  );
}

export async function up() {
  const home = sparkHome();
  if (await isOpen(CONNECT_PORT)) return console.log(`Spark Connect answers already: sc://127.0.0.1:${CONNECT_PORT}`);
  for (const name of ["logs", "pids"]) mkdirSync(join(folder, name), { recursive: true });
  const master = [
    "org.apache.spark.deploy.master.Master",
    "--host",
    "127.0.0.1",
    "--port",
    String(MASTER_PORT),
    "--webui-port",
    "8080",
  ];
  start(home, "master", ["spark-class", ...master], { SPARK_DAEMON_MEMORY: "512m" });
  await until(() => isOpen(MASTER_PORT), "The master");
  for (let number = 1; number <= WORKERS; number++) startWorker(number, home);
  for (let number = 1; number <= WORKERS; number++) await until(() => hasJoined(number), `Worker ${number}`);
  await startConnect(home);
  console.log(`Spark Connect: sc://127.0.0.1:${CONNECT_PORT}, ${WORKERS} workers; \`npm run spark:down\` stops it.`);
}

/** Ends the processes that `up` started, with those that they started, and nobody else's. */
export async function stop(name, signal = "SIGTERM") {
  const file = join(folder, "pids", name);
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  const isThere = () => {
    try {
      process.kill(-pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  if (isThere()) process.kill(-pid, signal);
  for (let turn = 0; isThere() && turn < 100; turn++) await wait(100);
  if (isThere()) process.kill(-pid, "SIGKILL");
  rmSync(file);
}

export async function down() {
  const pids = join(folder, "pids");
  if (!existsSync(pids)) return;
  for (const name of readdirSync(pids).sort()) await stop(name);
  console.log("Spark is down.");
}

const hasJoined = (number) =>
  readFileSync(join(folder, "logs", `worker-${number}.log`), "utf8").includes("Successfully registered");

/** Starts again what was killed. */
async function revive(name) {
  if (name === "connect") return await startConnect();
  const number = Number(name.replace("worker-", ""));
  startWorker(number);
  await until(() => hasJoined(number), `Worker ${number}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, name] = process.argv.slice(2);
  if (command === "up") await up();
  else if (command === "down") await down();
  else if (command === "kill") await stop(name, "SIGKILL");
  else if (command === "revive") await revive(name);
  else if (command === "guarded") await startGuarded(name);
  else throw new Error("Say up or down; kill or revive, and connect, worker-1 or worker-2; or guarded, and a token.");
}
