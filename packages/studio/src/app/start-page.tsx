/** The studio on a page, with a server behind it. */
import type { Root } from "react-dom/client";
import { serverClient } from "../state/client.js";
import { App } from "./app.js";

export function start(root: Root): void {
  root.render(<App client={serverClient()} />);
}
