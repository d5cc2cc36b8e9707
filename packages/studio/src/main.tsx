/** Starts the page that a server of the studio delivers. Libraries are loaded one after the other, so that the page appears early. */
import "./ui/styles.css";

const turn = () => new Promise((resume) => setTimeout(resume));
const { createRoot } = await import("react-dom/client");
await turn();
await import("@coterie/workbench/protocol");
await turn();
const [{ App }, { serverClient }] = await Promise.all([import("./app/app.js"), import("./state/client.js")]);
await turn();
createRoot(document.getElementById("studio")!).render(<App client={serverClient()} />);
