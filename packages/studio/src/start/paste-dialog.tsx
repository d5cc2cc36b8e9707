/** A table from the clipboard, seen before it is used. */
import { useState } from "react";
import { Button } from "../ui/controls.js";
import { Dialog } from "../ui/dialog.js";

export function PasteDialog({ onClose, onPaste }: { readonly onClose: () => void; readonly onPaste: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <Dialog title="Paste a table" onClose={onClose}>
      <textarea
        className="paste-area mono"
        data-first
        aria-label="Table"
        rows={12}
        placeholder="The first line names the columns. Commas, semicolons or tabs between cells."
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p className="row dialog-actions">
        <Button
          look="solid"
          disabled={text.trim() === ""}
          onClick={() => {
            onClose();
            onPaste(text);
          }}
        >
          Use this table
        </Button>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
      </p>
    </Dialog>
  );
}
