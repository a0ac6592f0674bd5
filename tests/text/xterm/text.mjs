// What xterm.js makes of bytes: the text of its buffer, soft wraps joined. One process answers any number of cases.
//
// Standard input: frames of { columns, rows, length: three 32-bit little-endian numbers, then the bytes }.
// Standard output, one for each, before the next frame is read: { length: a 32-bit little-endian number, then the text in UTF-8 }; a length of
// 0xffffffff, and no text, when xterm.js fails (6.0.0 does, on ED 1 at the end of the last row).
//
// A clear keeps: before ED 2, ED 0 at home and RIS the screen is written to the text, as truetty does. Rows of blanks at the
// end of such a screen, and below the cursor at the end, are left out.
import headless from '@xterm/headless';
import unicode11 from '@xterm/addon-unicode11';
import { readSync, writeSync } from 'node:fs';

const isBlank = ([line, wrapped]) => /^ *$/.test(line) && !wrapped;

function text(columns, rows, bytes) {
  // No byte makes more than one line, so nothing is ever trimmed.
  const options = { cols: columns, rows, scrollback: bytes.length + 1, allowProposedApi: true, logLevel: 'off' };
  const terminal = new headless.Terminal(options);
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const pieces = [];
  let began = false;
  let first = 0; // the first line of the buffer that is not in the text yet
  let frame = null;

  // The lines from `start` to before `end`, each a [text, continues the line above] pair.
  const lines = (start, end) => {
    const buffer = terminal.buffer.normal;
    const found = [];
    for (let at = start; at < end; at++) {
      const line = buffer.getLine(at);
      found.push([line ? line.translateToString(true) : '', line ? line.isWrapped : false]);
    }
    return found;
  };
  const put = (found, target) => {
    for (const [line, wrapped] of found) {
      if (began && !wrapped) target.push('\n');
      target.push(line);
      began = true;
    }
  };
  const keep = () => {
    const buffer = terminal.buffer.normal;
    put(lines(first, buffer.baseY), pieces);
    first = buffer.baseY;
    const screen = lines(buffer.baseY, buffer.baseY + rows);
    while (screen.length && screen.at(-1)[0] === '') screen.pop();
    while (screen.length && isBlank(screen.at(-1))) screen.pop();
    while (screen.length && screen[0][0] === '') screen.shift();
    const target = [];
    const before = began;
    put(screen, target);
    const shown = target.join('').replace(/^\n/, '');
    if (screen.length && shown !== frame) {
      frame = shown;
      pieces.push(...target);
    } else {
      began = before;
    }
    return false;
  };
  const normal = () => terminal.buffer.active.type === 'normal';
  terminal.parser.registerCsiHandler({ final: 'J' }, (parameters) => {
    const buffer = terminal.buffer.normal;
    const kind = parameters[0];
    if (kind === 3) return true;
    if (normal() && (kind === 2 || (kind === 0 && buffer.cursorX === 0 && buffer.cursorY === 0))) keep();
    return false;
  });
  terminal.parser.registerEscHandler({ final: 'c' }, () => {
    keep();
    first = 0;
    return false;
  });
  // Replaced as truetty replaces it; the terminal's own decoder would drop it.
  const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  terminal._core._writeBuffer.writeSync(decoded);

  const buffer = terminal.buffer.normal;
  let last = buffer.baseY + rows - 1;
  while (last > buffer.baseY + buffer.cursorY && isBlank(lines(last, last + 1)[0])) last--;
  put(lines(first, last + 1), pieces);
  terminal.dispose();
  return pieces.join('');
}

// The next bytes of standard input; null at its end.
function take(length) {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const count = readSync(0, bytes, done, length - done, null);
    if (!count) return null;
    done += count;
  }
  return bytes;
}

for (let head; (head = take(12)) !== null;) {
  const [columns, rows, length] = [0, 4, 8].map((offset) => head.readUInt32LE(offset));
  const size = Buffer.alloc(4);
  let answer = Buffer.alloc(0);
  try {
    answer = Buffer.from(text(columns, rows, take(length)), 'utf-8');
    size.writeUInt32LE(answer.length);
  } catch (error) {
    size.writeUInt32LE(0xffffffff); // xterm.js itself failed: there is no truth here
  }
  for (const part of [size, answer]) for (let done = 0; done < part.length;) done += writeSync(1, part, done);
}
