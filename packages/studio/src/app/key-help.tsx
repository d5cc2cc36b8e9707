/** All keys, in a window; letters can be turned off there. */
import { useId } from "react";
import { useApp, useStudio } from "../page/context.js";
import { KEY_LIST } from "../page/keys.js";
import { setLetterKeys, setName } from "../state/app-state.js";
import { Cap } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";

export function KeyHelp() {
  const { app } = useStudio();
  const { overlay, letters, me } = useApp((state) => ({ overlay: state.overlay, letters: state.letters, me: state.me }));
  const id = useId();
  if (overlay !== "keys") return null;
  return (
    <Dialog title="All keys" onClose={() => app.set({ overlay: null })}>
      <table className="table tight">
        <tbody>
          {KEY_LIST.map(([keys, does]) => (
            <tr key={keys}>
              <td>
                <Cap>{keys}</Cap>
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="row settings-row">
        <input
          id={`${id}-letters`}
          className="check"
          type="checkbox"
          checked={letters}
          onChange={() => setLetterKeys(app, !letters)}
        />
        <label htmlFor={`${id}-letters`}>Single letters are keys</label>
      </p>
      <p className="row settings-row">
        <label htmlFor={`${id}-name`}>Your name beside your answers</label>
        <input
          id={`${id}-name`}
          className="field"
          defaultValue={me}
          maxLength={100}
          onBlur={(event) => setName(app, event.target.value)}
        />
      </p>
    </Dialog>
  );
}
