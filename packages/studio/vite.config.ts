import { defineConfig } from "vite";
import { sitePlugin } from "./site-plugin.js";

/** Built from the sources of the packages, so that one change is one build. `--mode site` is the page without a server. */
export default defineConfig(({ mode }) => {
  const isSite = mode === "site";
  return {
    resolve: { conditions: ["source", "module", "browser", "import", "default"] },
    base: "./",
    oxc: { jsx: { runtime: "automatic" } },
    worker: { format: "es" },
    plugins: isSite ? [sitePlugin()] : [],
    build: {
      target: "es2022",
      outDir: isSite ? "dist-site" : "dist",
      emptyOutDir: true,
      // No inlined files: the pages' security policy allows only files of their own origin.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The bundled libraries' licences go with them.
      license: { fileName: "third-party.md" },
      ...(isSite ? { rollupOptions: { input: "site.html" } } : {}),
    },
    server: { proxy: { "/api": "http://127.0.0.1:4747" } },
  };
});
