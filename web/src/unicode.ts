// How xterm.js writes a character's width into a number: what its width tables need of it.

export const UnicodeService = {
  extractWidth: (value: number): number => (value >> 1) & 3,
  createPropertyValue: (state: number, width: number, joins = false): number =>
    ((state & 0xffffff) << 3) | ((width & 3) << 1) | (joins ? 1 : 0),
};
