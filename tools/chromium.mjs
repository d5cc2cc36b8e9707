/** Chromium for the browser tests: finds one, or installs it where that can be done. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"];

/** The path of a Chromium on this machine, or undefined. `COTERIE_CHROMIUM` comes first. */
export function findChromium() {
  return [process.env.COTERIE_CHROMIUM, ...PLACES, chromium.executablePath()].find((path) => path && existsSync(path));
}

/** Installs Chromium if there is none: Debian's package when root, playwright's own build otherwise. */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  try {
    if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) installDebianPackage();
    else execFileSync(process.execPath, ["node_modules/playwright/cli.js", "install", "chromium"], { stdio: "inherit" });
  } catch {
    // The sentence below tells what to do.
  }
  const installed = findChromium();
  if (installed) return installed;
  throw new Error(
    "The browser tests need Chromium, and it could not be installed here. Install it (Debian: `apt-get install chromium`) or set COTERIE_CHROMIUM to its path, then run the tests again.",
  );
}

function installDebianPackage() {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit", env });
  execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], {
    stdio: ["ignore", "ignore", "inherit"],
    env,
  });
}
