/** All golden pictures on one page, docs/images/gallery/index.html: `npm run gallery`. The tests named gallery make the pictures. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs/images/gallery");

const styles = ["ui/styles", "map/map", "panels/panels", "ask/ask", "compare/compare", "understand/understand"];
const links = styles.map((name) => `<link rel="stylesheet" href="../../../packages/studio/src/${name}.css">`);
const own =
  "body{overflow:auto;height:auto;padding:24px}figure{margin:0 0 32px}figcaption{margin-bottom:8px}.box{position:relative;width:1000px}";

const section = (side) =>
  readdirSync(join(folder, side)).map((file) => {
    const markup = readFileSync(join(folder, side, file), "utf8");
    const name = file.replace(/\.\w+$/, "");
    // Pictures that fill a place on their page get one of the same height here.
    const height =
      side === "figures" ? "auto" : /^map-(?!legend)/.test(name) ? "860px" : /^dendrogram/.test(name) ? "480px" : "auto";
    return `<figure><figcaption><b>${side}: ${name}</b></figcaption><div class="box" style="display:grid;height:${height}">${markup}</div></figure>`;
  });

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery · Coterie</title>
${links.join("\n")}<style>${own}</style><body><h1>Golden pictures</h1>
${["figures", "studio"].flatMap(section).join("\n")}
</body></html>
`;
writeFileSync(join(folder, "index.html"), page);
process.stdout.write(`${join(folder, "index.html")}\n`);
