/** The groups that colour the marks, and the links over the marks. */
import { useMemo } from "react";
import { clusterGroups, type Groups, levelGroups, noGroups, stepGroups } from "../state/groups.js";
import { brokenKeys, sentenceOf } from "../state/knowledge.js";
import { knownRows, linksOf } from "../state/links.js";
import { shownReport } from "../state/lookups.js";
import { useProject } from "./context.js";

export function useGroups(): Groups {
  const parts = useProject((state) => ({
    result: state.colouring.by === "run" ? state.results.get(state.colouring.run) : undefined,
    run:
      state.colouring.by === "run"
        ? state.runs.find(({ number }) => state.colouring.by === "run" && number === state.colouring.run)
        : undefined,
    column: state.colouring.by === "column" ? state.values.get(state.colouring.column) : undefined,
    rows: state.project.rows,
  }));
  const { result, run, column, rows } = parts;
  const named = run?.names;
  const letters = run?.letters;
  return useMemo(() => {
    if (result && result.labels.length === rows) return clusterGroups({ letters: letters ?? null, names: named ?? null }, result);
    if (column && column.values.length === rows)
      return column.levels ? levelGroups(column.values, column.levels) : stepGroups(column.values);
    return noGroups(rows);
  }, [result, column, rows, named, letters]);
}

/** The links (lines between rows) of the answers. Links of answers that the shown run breaks are marked. */
export function useLinks() {
  const parts = useProject((state) => {
    return { constraints: state.knowledge.constraints, rowOf: state.rowOf, report: shownReport(state) };
  });
  return useMemo(() => {
    const broken = brokenKeys(parts.report);
    return {
      links: linksOf(parts.constraints, parts.rowOf, broken, ({ constraint }) => sentenceOf(constraint)),
      known: knownRows(parts.constraints, parts.rowOf),
      broken,
    };
  }, [parts.constraints, parts.rowOf, parts.report]);
}
