// What asciinema's own player makes of a recording. No screen is needed: the part that reads and plays is asked alone.
//
// Standard input: the recording. Standard output: one JSON object. A recording that the player refuses ends it with 1.
import { readdirSync, readFileSync, writeSync } from 'node:fs';

const folder = new URL('./node_modules/asciinema-player/dist/', import.meta.url);
const name = readdirSync(folder).find((file) => file.startsWith('core-')); // its name holds a hash
const { C: Core } = await import(new URL(name, folder));

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const source = { driver: 'recording', data: readFileSync(0, 'utf-8') };
const core = new Core(source, { logger: silent, speed: 1, autoPlay: false, preload: true });
const seen = { output: '', sizes: [], markers: [], duration: null };
core.addEventListener('metadata', ({ duration, markers }) => Object.assign(seen, { duration, markers }));
core.addEventListener('reset', ({ size }) => seen.sizes.push([size.cols, size.rows]));
core.addEventListener('resize', ({ cols, rows }) => seen.sizes.push([cols, rows]));
core.addEventListener('output', (data) => { seen.output += Array.isArray(data) ? data.join('') : data; });
core.addEventListener('error', (error) => { throw error; });
core.terminalReady();
await core.init();
await core.seek('100%');
seen.duration = core.getDuration();
writeSync(1, JSON.stringify(seen));
process.exit(0);
