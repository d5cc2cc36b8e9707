/** Lines from a stream of bytes, none longer than is bearable: the rest of such a line is thrown away. */
import { StringDecoder } from "node:string_decoder";

export interface LineReader {
  take(bytes: Uint8Array): void;
  /** The stream is over: what has no line end is a line too. */
  end(): void;
}

export interface LineEvents {
  readonly line: (text: string) => void;
  /** A line has grown too long; told once a line. */
  readonly tooLong: () => void;
}

export function lineReader(longest: number, { line, tooLong }: LineEvents): LineReader {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isLost = false;
  const grow = (text: string) => {
    if (isLost) return;
    rest += text;
    if (rest.length <= longest) return;
    rest = "";
    isLost = true;
    tooLong();
  };
  const finish = () => {
    if (!isLost) line(rest);
    rest = "";
    isLost = false;
  };
  return {
    take(bytes) {
      const pieces = decoder.write(Buffer.from(bytes)).split("\n");
      pieces.forEach((piece, place) => {
        grow(piece);
        if (place < pieces.length - 1) finish();
      });
    },
    end() {
      grow(decoder.end());
      if (rest !== "" || isLost) finish();
    },
  };
}
