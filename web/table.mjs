// Of addon-unicode11 only its table is taken: its built file has a second copy of a part of xterm.js, 8 kB (gzip).
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** What esbuild finds under these names. */
export const TABLE = {
  "unicode-table": join(here, "node_modules/@xterm/addon-unicode11/src/UnicodeV11.ts"),
  "common/services/UnicodeService": join(here, "src/unicode.ts"),
};
