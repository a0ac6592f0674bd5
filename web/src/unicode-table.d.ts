// The table of @xterm/addon-unicode11, as table.mjs names it.
declare module "unicode-table" {
  import type { IUnicodeVersionProvider } from "@xterm/xterm";

  export const UnicodeV11: new () => IUnicodeVersionProvider;
}
