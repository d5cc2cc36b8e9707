/** The page in a browser with a server behind it. */
import "./ui/styles.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.js";
import { serverClient } from "./state/client.js";

createRoot(document.getElementById("studio")!).render(<App client={serverClient()} />);
