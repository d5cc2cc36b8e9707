/** The pictures of the gallery: each section of docs/gallery.md is a program, and the picture that it draws. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../docs/gallery.md", import.meta.url));

/** @returns {{ title: string, about: string, image: string, link: string }[]} */
export function galleryItems() {
  const sections = readFileSync(page, "utf8").split(/^### /m).slice(1);
  return sections.map((section) => {
    const [title] = section.split("\n", 1);
    const [, about = ""] = /^[^\n]*\n\n([^\n]+)/.exec(section) ?? [];
    const image = /picture=([\w.-]+)/.exec(section)?.[1] ?? /\]\(\/pictures\/([\w.-]+)\)/.exec(section)?.[1];
    if (!image) throw new Error(`"${title}" in docs/gallery.md has no picture.`);
    return {
      title,
      about: about
        .replace(/\[The lesson\]\(.*?\)/, "")
        .replace(/\[(.*?)\]\(.*?\)/g, "$1")
        .replaceAll("`", ""),
      image: `pictures/${image}`,
      link: `#${slug(title)}`,
    };
  });
}

/** The anchor of a heading. */
function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^\w]+/g, "-")
    .replace(/^-|-$/g, "");
}
