import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { findChromium } from "./tools/chromium.mjs";

/** Tests read the sources of the packages, not their builds. */
const conditions = ["source", "module", "import", "default"];
const source = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["source"] } },
};

/**
 * What fast-check draws from: always the same, so that a failure is the change's; `COTERIE_SEED` takes another one, or `new`
 * for one that nobody saw before, as `npm run test:long` does. A failed property prints its seed and path.
 */
function propertySeed(): number {
  const wanted = process.env.COTERIE_SEED ?? (process.env.COTERIE_LONG === "1" ? "new" : "1");
  if (wanted === "new") return Date.now() % 2 ** 31;
  if (!/^\d{1,9}$/.test(wanted)) throw new Error(`COTERIE_SEED is "${wanted}": give a number of at most nine digits, or "new".`);
  return Number(wanted);
}

const shared = { setupFiles: ["./tools/property-seed.ts"], provide: { propertySeed: propertySeed() } };

const executablePath = findChromium();
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];

/** What Chromium must send so that pages may share memory with their workers. */
const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        ...source,
        test: {
          ...shared,
          name: "node",
          globalSetup: ["./tools/temporary-folder.ts"],
          environment: "node",
          // Test files of one worker share the modules they load: to load them anew for each took a fifth of the time of all tests.
          // So a test puts back what it changes of the process (its environment, its folder, its exit code).
          isolate: false,
          include: ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/*.browser.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...source,
        server: { headers: isolation },
        optimizeDeps: {
          include: [
            "react",
            "react/jsx-dev-runtime",
            "react/jsx-runtime",
            "react-dom",
            "react-dom/client",
            "axe-core",
            "zod",
            "fast-check",
            "pure-rand/generator/xoroshiro128plus",
          ],
        },
        test: {
          ...shared,
          name: "browser",
          include: ["packages/{core,kernels}/src/**/*.test.ts", "packages/*/src/**/*.browser.test.{ts,tsx}"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/*.node.test.ts"],
          testTimeout: 120_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: { args, ...(executablePath ? { executablePath } : {}) } }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
