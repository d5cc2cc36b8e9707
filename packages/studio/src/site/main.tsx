/** The page without a server: a worker answers, and the browser keeps the projects. */
import "../ui/styles.css";
import { createRoot } from "react-dom/client";
import { App } from "../app/app.js";
import { siteClient } from "./site-client.js";

createRoot(document.getElementById("studio")!).render(<App client={siteClient()} />);
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("./offline.js").catch(() => {});
