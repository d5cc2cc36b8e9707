/**
 * Mutation testing of core: changes a source by one small step, runs the tests near it, and says whether one of them failed.
 *
 *     npm run test:mutation -- [--sample 60] [--seed 1] [--from 0] [--limit 40] [--minutes 60] [--only constraints/closure] [--record]
 *
 * Sources are never written: a plugin of the test runner hands the mutant out in place of the file. Mutants are drawn by a seed from
 * all places of constraints, algorithms and colouring. A mutant is killed if a test fails, or if a test file takes more seconds of
 * processor time than the limit, which ends loops. `--record` writes docs/measurements/mutation.md.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createVitest } from "vitest/node";
import { nearTests } from "./mutation/near-tests.mjs";
import { mutated, sitesOf } from "./mutation/sites.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "packages/core/src");
const ROOMS = ["constraints", "algorithms", "colouring"];

const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    limit: { type: "string", default: "40" },
    minutes: { type: "string", default: "60" },
    only: { type: "string", default: "" },
    record: { type: "boolean", default: false },
  },
});

/** A small generator of its own (mulberry32), so that a sample can be drawn again anywhere. */
function randomOf(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function allSites() {
  return ROOMS.flatMap((room) =>
    readdirSync(join(src, room), { recursive: true })
      .map((path) => join(src, room, path))
      .filter((path) => path.endsWith(".ts") && !/\.(test|reference)\.ts$/.test(path))
      .filter((path) => relative(src, path).startsWith(values.only))
      .sort()
      .flatMap((path) => sitesOf(path, readFileSync(path, "utf8")).map((site) => ({ ...site, path, room }))),
  );
}

function drawn(sites, count, random) {
  const left = sites.slice();
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random(left.length), 1)[0]);
}

/** The mutant that the plugin hands out, or null. */
let present = null;

async function openRunner() {
  const conditions = ["source", "module", "import", "default"];
  const vitest = await createVitest(
    "test",
    {
      root,
      config: false,
      watch: false,
      pool: "forks",
      maxWorkers: 1,
      reporters: [{}],
      include: ["packages/core/src/**/*.test.ts"],
      setupFiles: ["./tools/property-seed.ts"],
      provide: { propertySeed: 1 },
      testTimeout: 24 * 3600 * 1000,
      dangerouslyIgnoreUnhandledErrors: true,
      bail: 1,
    },
    {
      resolve: { conditions },
      ssr: { resolve: { conditions, externalConditions: ["source"] } },
      plugins: [
        {
          name: "mutant",
          enforce: "pre",
          transform: (code, id) => (present !== null && id.split("?")[0] === present.path ? mutated(code, present) : null),
        },
      ],
    },
  );
  await vitest.standalone();
  return vitest;
}

/** The processes that this one has started for tests, with the processor time of each in seconds. */
function workers() {
  try {
    const lines = execFileSync("ps", ["-o", "pid=,cputimes=,comm=", "--ppid", String(process.pid)], { encoding: "utf8" });
    const found = lines
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/));
    return found.filter(([, , name]) => name !== "ps").map(([pid, seconds]) => ({ pid: Number(pid), seconds: Number(seconds) }));
  } catch {
    return [];
  }
}

/** Ends them: the only way out of a loop. */
function endWorkers(some) {
  for (const { pid } of some) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {}
  }
}

/** "passed", "failed", or "late". */
async function verdictOf(vitest, tests) {
  const project = vitest.getRootProject();
  let late = false;
  const watch = setInterval(() => {
    const over = workers().filter(({ seconds }) => seconds > Number(values.limit));
    if (over.length === 0) return;
    late = true;
    endWorkers(over);
  }, 4000);
  try {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      tests.map((test) => project.createSpecification(test)),
    );
    // The runner remembers the modules of earlier runs as well.
    const asked = testModules.filter(({ moduleId }) => tests.includes(moduleId));
    if (late) return "late";
    const passed = unhandledErrors.length === 0 && asked.length === tests.length && asked.every((module) => module.ok());
    return passed ? "passed" : "failed";
  } catch {
    return late ? "late" : "failed";
  } finally {
    clearInterval(watch);
    vitest.state.clearErrors();
  }
}

/**
 * Tests are tried one file after the other, the nearest first. A failure says something only of a test that passes as things are,
 * in time: one that has passed before, with whatever mutant, or that passes now without one.
 */
async function judge(vitest, mutant, tests) {
  for (const test of tests) {
    if (unsound.has(test)) continue;
    present = mutant;
    vitest.invalidateFile(mutant.path);
    const verdict = await verdictOf(vitest, [test]);
    present = null;
    vitest.invalidateFile(mutant.path);
    if (verdict === "passed") sound.add(test);
    else if (await isSound(vitest, test)) return { state: verdict === "late" ? "killed (late)" : "killed", by: test };
  }
  return { state: "survived", by: null };
}

const sound = new Set();
const unsound = new Set();

async function isSound(vitest, test) {
  if (sound.has(test)) return true;
  if ((await verdictOf(vitest, [test])) === "passed") sound.add(test);
  else {
    unsound.add(test);
    console.error(`left out, since it does not pass by itself in time: ${relative(root, test)}`);
  }
  return sound.has(test);
}

const sites = allSites();
const sample = drawn(sites, Number(values.sample), randomOf(Number(values.seed))).slice(Number(values.from));
const near = nearTests(src);
const vitest = await openRunner();
const killed = (some) => some.filter(({ state }) => state !== "survived").length;
const share = (some) => (some.length === 0 ? "–" : `${Math.round((100 * killed(some)) / some.length)}%`);

const begun = Date.now();
const results = [];
for (const mutant of sample) {
  if (Date.now() - begun > 60_000 * Number(values.minutes)) break;
  const tests = near(mutant.path);
  const { state, by } = await judge(vitest, mutant, tests);
  results.push({ ...mutant, state, by });
  const shown = mutant.before.replace(/\s+/g, " ").slice(0, 60);
  const where = `${relative(src, mutant.path)}:${mutant.line}`;
  console.log(
    `${state.padEnd(14)} ${where}  ${mutant.operator}: ${shown} → ${mutant.replacement.replace(/\s+/g, " ").slice(0, 60)}`,
  );
  // After each one, so that a run that is ended early leaves what it found.
  if (values.record) record();
}
await vitest.close();

console.log(`${killed(results)} of ${results.length} mutants killed (${share(results)}), drawn from ${sites.length} places.`);

function record() {
  const by = (key) => [...new Set(results.map((each) => each[key]))].sort();
  const table = (key, title) => [
    `| ${title} | mutants | killed | share |`,
    "|---|---|---|---|",
    ...by(key).map((name) => {
      const some = results.filter((each) => each[key] === name);
      return `| ${name} | ${some.length} | ${killed(some)} | ${share(some)} |`;
    }),
  ];
  const code = (text) => `\`${text.replace(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 70)}\``;
  const survivors = results.filter(({ state }) => state === "survived");
  const lines = [
    "# Mutation testing of core",
    "",
    `\`npm run test:mutation -- --sample ${values.sample} --seed ${values.seed} --record\` drew ${results.length} of ${sites.length} places in ${ROOMS.join(", ")}, changed each by one small`,
    `step, and ran the tests near it. **${killed(results)} of ${results.length} were killed: ${share(results)}.** Those that ran into the limit of ${values.limit} s count as killed: ${results.filter(({ state }) => state === "killed (late)").length}.`,
    "",
    ...table("room", "room"),
    "",
    ...table("operator", "step"),
    "",
    "## Survivors",
    "",
    survivors.length === 0 ? "None." : "| place | step | from | to |\n|---|---|---|---|",
    ...survivors.map(
      (each) =>
        `| ${relative(src, each.path)}:${each.line} | ${each.operator} | ${code(each.before)} | ${code(each.replacement)} |`,
    ),
    "",
  ];
  writeFileSync(join(root, "docs/measurements/mutation.md"), lines.join("\n"));
}
