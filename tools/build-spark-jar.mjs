/**
 * Builds packages/engines/spark/coterie.jar from its source, the same bytes every time: classes from the machine's javac for Java 17
 * against the jars of pyspark's wheel, put into a zip file without compression, times or anything else that could differ. Beside it
 * lies what it was built from. `--check` builds and compares instead of writing.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "./crc32.mjs";
import { sparkHome } from "./spark.mjs";

const place = fileURLToPath(new URL("../packages/engines/spark", import.meta.url));
const sources = ["java/coterie/Block.java", "java/coterie/Functions.java"];
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

function classes() {
  const output = mkdtempSync(join(tmpdir(), "coterie-jar-"));
  try {
    const jars = join(sparkHome(), "jars/*");
    const files = sources.map((source) => join(place, source));
    execFileSync("javac", ["--release", "17", "-g:none", "-Xlint:-options", "-cp", jars, "-d", output, ...files], {
      stdio: "inherit",
    });
    const names = readdirSync(output, { recursive: true }).filter((name) => name.endsWith(".class"));
    return names
      .sort()
      .map((name) => [relative(output, join(output, name)).replaceAll("\\", "/"), readFileSync(join(output, name))]);
  } finally {
    rmSync(output, { recursive: true });
  }
}

/** A zip file of entries as they are, all of the first day that the format knows. */
function zipOf(entries) {
  const FIRST_DAY = 0x0021;
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of entries) {
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(10, 0);
    facts.writeUInt16LE(FIRST_DAY, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(title.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), facts, title, bytes);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x0a\x00", "latin1"), facts, rest, title);
    offset += 30 + title.length + bytes.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from("PK\x05\x06"), end]);
}

const manifest = ["META-INF/MANIFEST.MF", Buffer.from("Manifest-Version: 1.0\r\n\r\n")];
const jar = zipOf([manifest, ...classes()]);
const hashes = sources.map((source) => [source, sha256(readFileSync(join(place, source)))]);
const facts = { sources: Object.fromEntries(hashes), jarSha256: sha256(jar) };
const written = `${JSON.stringify(facts, null, 2)}\n`;
if (process.argv.includes("--check")) {
  const same =
    readFileSync(join(place, "coterie.jar")).equals(jar) && readFileSync(join(place, "coterie.jar.json"), "utf8") === written;
  console.log(
    same ? "The jar is what its source gives." : "The jar is not what its source gives: run node tools/build-spark-jar.mjs.",
  );
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(join(place, "coterie.jar"), jar);
  writeFileSync(join(place, "coterie.jar.json"), written);
  console.log(`coterie.jar: ${jar.length} bytes`);
}
