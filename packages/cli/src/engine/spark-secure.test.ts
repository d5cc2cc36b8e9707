/** Tokens and TLS with a real Connect server: `npm run test:spark`. The server does not support TLS, so a proxy in front of it does. */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { coterie, folderWith } from "../testing/console.js";

const CONNECT = process.env.COTERIE_SPARK_CONNECT;
const FOLDER = process.env.COTERIE_SPARK ?? "";
const TOOL = fileURLToPath(new URL("../../../../tools/spark.mjs", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../bin/coterie.js", import.meta.url));
const spark = (...args: string[]) => promisify(execFile)(process.execPath, [TOOL, ...args]);
const PORT = 15_003;
const TOKEN = "YWJjZA==";

describe.skipIf(CONNECT === undefined)("a server that asks for a token", { timeout: 600_000 }, () => {
  const place = join(FOLDER, "secure-tables");
  const folder = folderWith({});
  const labels = join(folder, "labels.csv");
  const line = (address: string): string[] => [
    ...["cluster", join(place, "t.parquet"), "--id", "row", "-k", "4", "--engine", "spark", "--connect", address],
    ...["--out", labels, "-q"],
  ];

  beforeAll(async () => {
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const rows = "SELECT row, (row % 4) * 3 + sin(row) AS x, (row % 4) * 5 + cos(row) AS y FROM range(400) t(row)";
    await connection.run(`COPY (${rows}) TO '${join(place, "t.parquet")}' (FORMAT parquet)`);
    connection.closeSync();
    await spark("guarded", TOKEN);
  }, 300_000);

  afterAll(() => spark("kill", "guarded"), 60_000);

  test("without one, and with a wrong one: exit 3, a sentence, no file; with the right one: labels", async () => {
    const missing = await coterie(...line(`sc://127.0.0.1:${PORT}`));
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining(`Spark at 127.0.0.1:${PORT} asks for a token.`)]);
    const wrong = await coterie(...line(`sc://127.0.0.1:${PORT}/;token=n0t-this`));
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining("does not accept the token.")]);
    expect(wrong.err).not.toContain("n0t-this");
    expect(existsSync(labels)).toBe(false);
    const right = await coterie(...line(`sc://127.0.0.1:${PORT}/;token=${TOKEN}`));
    expect([right.code, right.err]).toEqual([0, ""]);
    expect(readFileSync(labels, "utf8").split("\n").slice(0, 6)).toEqual(["id,cluster", "0,0", "1,1", "2,2", "3,3", "4,0"]);
  });

  test("over TLS: a certificate that is not trusted gets a sentence, one that is named is taken", async () => {
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
    execFileSync("openssl", [...made, "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], {
      stdio: "ignore",
    });
    const door = createServer({ key: readFileSync(key), cert: readFileSync(certificate), ALPNProtocols: ["h2"] }, (outside) => {
      const inside = connect(PORT, "127.0.0.1");
      for (const [from, to] of [[outside, inside] as const, [inside, outside] as const]) {
        from.pipe(to);
        from.on("error", () => to.destroy());
      }
    });
    await new Promise<void>((done) => door.listen(0, "127.0.0.1", done));
    onTestFinished(() => void door.close());
    const { port } = door.address() as { port: number };
    const address = `sc://localhost:${port}/;use_ssl=true`;
    const run = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, [PROGRAM, ...line(address)], {
        env: { ...process.env, SPARK_CONNECT_AUTHENTICATE_TOKEN: TOKEN, ...env },
      });
    rmSync(labels, { force: true });
    await expect(run({})).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        "its certificate is not trusted here: GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names a file of others",
      ),
    });
    expect(existsSync(labels)).toBe(false);
    expect((await run({ GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate })).stderr).toBe("");
    expect(readFileSync(labels, "utf8").split("\n")).toHaveLength(402);
  });
});
