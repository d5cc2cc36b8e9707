/**
 * Who gets in. The server listens on loopback, but any page in the same browser can send requests there: so a request must be for a
 * host that is ours (a name that somebody else's DNS points here is not), from a page that is ours, and carry the token.
 */
import { timingSafeEqual } from "node:crypto";

export interface GateOptions {
  readonly token: string;
  /** Hosts with their ports that requests may be for; the port is known when the server listens. */
  readonly hosts: () => readonly string[];
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
}

/** What is wrong with where a request comes from and goes to; null if nothing is. */
export function wrongPlace(headers: Headers, hosts: readonly string[]): Refusal | null {
  const host = headers.get("host")?.toLowerCase();
  if (host === undefined || !hosts.includes(host))
    return { status: 403, code: "wrong-host", message: "This request is for another host than the studio." };
  const origin = headers.get("origin");
  if (origin !== null && !hosts.some((each) => origin.toLowerCase() === `http://${each}`))
    return { status: 403, code: "wrong-origin", message: "This request comes from another page than the studio's." };
  const site = headers.get("sec-fetch-site");
  if (site === "cross-site" && headers.get("sec-fetch-mode") !== "navigate")
    return { status: 403, code: "wrong-origin", message: "This request comes from another site." };
  return null;
}

/** The token comes as a bearer or in the address. */
export function wrongToken(headers: Headers, url: URL, token: string): Refusal | null {
  const bearer = /^bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const given = bearer ?? url.searchParams.get("token") ?? "";
  return isSame(given, token)
    ? null
    : {
        status: 401,
        code: "wrong-token",
        message: "The token is missing or wrong: open the studio by the address that it printed.",
      };
}

export function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** No inline script; WebAssembly may be compiled; nothing is loaded from elsewhere; nobody may frame the page. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // The token is in the page's address.
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};
