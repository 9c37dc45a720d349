/**
 * Cuts a byte stream into lines: LF or CRLF, a byte order mark before any line dropped. Every byte is
 * looked at once and copied at most once, however the stream is sliced. Pure.
 */
import { LimitError } from '../base/errors.ts';

export interface LineSplitter {
  /** Takes the next bytes. Throws LimitError (details: limit, maxBytes) when a line passes the bound. */
  feed(chunk: Uint8Array): void;
  /** The unfinished last line, or `undefined`; the splitter is new afterwards. */
  end(): string | undefined;
}

const LF = 10;
const CR = 13;

export function createLineSplitter(options: {
  readonly onLine: (line: string) => void;
  readonly maxBytes: number;
}): LineSplitter {
  const { onLine, maxBytes } = options;
  // Each line is decoded alone, so the decoder drops a mark before any of them.
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let held = 0;

  const hold = (bytes: Uint8Array) => {
    held += bytes.length;
    if (held > maxBytes) {
      parts = [];
      held = 0;
      throw new LimitError(`a line is longer than ${maxBytes / 1024 / 1024} MiB`, {
        details: { limit: 'stdio_line', maxBytes },
      });
    }
    parts.push(bytes);
  };
  const takeHeld = () => {
    const [only] = parts;
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, held);
    parts = [];
    held = 0;
    return decodeLine(decoder, bytes);
  };

  return {
    feed(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
        const line = chunk.subarray(from, end);
        from = end + 1;
        if (held === 0 && line.length <= maxBytes) onLine(decodeLine(decoder, line));
        else {
          hold(line);
          onLine(takeHeld());
        }
      }
      if (from < chunk.length) hold(chunk.subarray(from));
    },
    end() {
      return held === 0 ? undefined : takeHeld();
    },
  };
}

function decodeLine(decoder: TextDecoder, bytes: Uint8Array): string {
  const end = bytes[bytes.length - 1] === CR ? bytes.length - 1 : bytes.length;
  return decoder.decode(bytes.subarray(0, end));
}
