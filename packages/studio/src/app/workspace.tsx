/** The main page of a project: data and answers on the left, the map in the middle, diagnosis, method and run on the right. */
import { useState } from "react";
import { MapStage } from "../map/map-stage.js";
import { Problems } from "../page/problems.js";
import { DataPanel } from "../panels/data-panel.js";
import { DiagnosisPanel } from "../panels/diagnosis-panel.js";
import { KnowledgePanel } from "../panels/knowledge-panel.js";
import { MethodPanel } from "../panels/method-panel.js";
import { RunBar } from "../panels/run-bar.js";
import "../panels/panels.css";

export function Workspace() {
  const [open, setOpen] = useState(false);
  return (
    <div className="zones">
      <aside className="rail" aria-label="Data and knowledge">
        <DataPanel />
        <KnowledgePanel />
      </aside>
      <MapStage drawer={{ open, toggle: () => setOpen(!open) }} />
      <aside className={`side ${open ? "open" : ""}`} aria-label="Diagnosis, method, run">
        <div className="scroll">
          <Problems />
          <DiagnosisPanel />
          <MethodPanel />
        </div>
        <RunBar />
      </aside>
    </div>
  );
}
