import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { findChromium } from "./tools/chromium.mjs";

/** Tests read the sources of the packages, not their builds. */
const conditions = ["source", "module", "import", "default"];
const source = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["source"] } },
};

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
          name: "node",
          environment: "node",
          include: ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/*.browser.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...source,
        server: { headers: isolation },
        optimizeDeps: { include: ["zod", "fast-check", "pure-rand/generator/xoroshiro128plus"] },
        test: {
          name: "browser",
          include: ["packages/{core,kernels}/src/**/*.test.ts", "packages/*/src/**/*.browser.test.ts"],
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
