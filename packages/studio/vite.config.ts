import { defineConfig } from "vite";

/** The studio is built from the sources of the packages, so that one change is one build. */
export default defineConfig({
  resolve: { conditions: ["source", "module", "browser", "import", "default"] },
  base: "./",
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    // No inlined files: the pages' security policy allows only files of their own origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:4747" } },
});
