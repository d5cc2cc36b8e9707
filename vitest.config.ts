import { existsSync } from "node:fs";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

/** Tests read the sources of the packages, not their builds. */
const source = { resolve: { conditions: ["source", "module", "import", "default"] }, ssr: { resolve: { conditions: ["source", "module", "import", "default"], externalConditions: ["source"] } } };

const chromium = [process.env.COTERIE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && path !== "" && existsSync(path),
);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"];

export default defineConfig({
  test: {
    projects: [
      {
        ...source,
        test: { name: "node", environment: "node", include: ["packages/*/src/**/*.test.ts", "tools/**/*.test.ts"], exclude: ["**/node_modules/**", "**/dist/**", "**/*.browser.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        ...source,
        test: {
          name: "browser",
          include: ["packages/core/src/**/*.test.ts", "packages/kernels/src/**/*.test.ts", "packages/*/src/**/*.browser.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/*.node.test.ts"],
          testTimeout: 120_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: { args: flags, ...(chromium ? { executablePath: chromium } : {}) } }),
            instances: [{ browser: "chromium" }],
          },
        },
        server: { headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" } },
      },
    ],
  },
});
