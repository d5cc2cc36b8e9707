/** The page in a browser with a server behind it. Libraries get turns of their own, so that none holds up the page. */
import "./ui/styles.css";

const turn = () => new Promise((resume) => setTimeout(resume));
const { createRoot } = await import("react-dom/client");
await turn();
await import("@coterie/workbench/protocol");
await turn();
const { start } = await import("./app/start-page.js");
await turn();
start(createRoot(document.getElementById("studio")!));
