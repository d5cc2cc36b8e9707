/** Take it with you: files, and the run as a command or as TypeScript. */
import { useExport } from "../page/export-menu.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icons.js";

export function TakeAway() {
  const { save, copy } = useExport();
  return (
    <section aria-label="Take it with you">
      <div className="section-head">
        <h2>Take it with you</h2>
      </div>
      <div className="take-away">
        <Button onClick={() => void save("labels")}>
          Labels <span className="meta">csv</span>
        </Button>
        <Button onClick={() => void save("constraints")}>
          Constraints <span className="meta">csv</span>
        </Button>
        <Button onClick={() => void save("model")}>
          Model <span className="meta">json</span>
        </Button>
        <Button onClick={() => void save("report-html")}>
          Report <span className="meta">html</span>
        </Button>
        <Button onClick={() => void copy("command")}>
          <Icon name="copy" />
          Copy as command
        </Button>
        <Button onClick={() => void copy("typescript")}>
          <Icon name="copy" />
          Copy as TypeScript
        </Button>
      </div>
    </section>
  );
}
