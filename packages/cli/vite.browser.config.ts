import { defineConfig } from "vite";

/** Builds `coterie` for pages without a bundler: one module, and the worker of its pool beside it. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  resolve: { conditions: ["browser", "module", "import", "default"] },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "[name].js" } } },
  build: {
    target: "es2022",
    outDir: "dist/browser",
    emptyOutDir: true,
    reportCompressedSize: false,
    license: { fileName: "third-party.md" },
    lib: { entry: "dist/index.js", formats: ["es"], fileName: "coterie" },
  },
});
