// Builds the page into src/truetty/web/static/, or into the folder that is named.
//
//   node build.mjs [FOLDER]
//
// Names carry a hash of what is in the file, so that a browser may keep it for ever. index.html names them. Each text
// file has a .gz and a .br beside it. Nothing depends on the machine or the time: two builds of one tree are equal.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TABLE } from "./table.mjs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "../src/truetty/web/static"));
const LIBRARIES = ["@preact/signals-core", "@xterm/xterm", "@xterm/addon-fit", "@xterm/addon-unicode11"];

async function bundle(entry, name) {
  const result = await build({
    entryPoints: { [name]: join(here, entry) },
    outdir: target,
    bundle: true,
    alias: TABLE,
    splitting: true,
    format: "esm",
    target: ["es2022"],
    minify: true,
    legalComments: "none",
    charset: "utf8",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    metafile: true,
    write: false,
    absWorkingDir: here,
    logLevel: "warning",
  });
  return result.outputFiles.map((file) => ({ name: file.path.slice(target.length + 1), data: file.contents, imports: importsOf(result.metafile, file.path) }));
}

/** The files that a file needs before it runs. */
function importsOf(metafile, path) {
  const [, found] = Object.entries(metafile.outputs).find(([name]) => resolve(here, name) === path);
  return found.imports.filter((one) => one.kind === "import-statement").map((one) => basename(one.path));
}

function starting(files, start) {
  const found = files.find((file) => file.name.startsWith(start));
  if (found === undefined) throw new Error(`nothing was built as ${start}…`);
  return found.name;
}

async function licences() {
  const parts = ["The page is made with these libraries. Their licences:\n"];
  for (const name of LIBRARIES) {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const text = await readFile(join(folder, "LICENSE"), "utf8");
    parts.push(`${"=".repeat(80)}\n${name} ${version}\n\n${text.trim()}\n`);
  }
  return parts.join("\n");
}

const files = [...(await bundle("src/main.ts", "main")), ...(await bundle("style/page.css", "page")), ...(await bundle("style/terminal_page.css", "terminal"))];
for (const icon of (await readdir(join(here, "icons"))).sort()) {
  const data = await readFile(join(here, "icons", icon));
  const hash = createHash("sha256").update(data).digest("hex").slice(0, 8);
  files.push({ name: icon.replace(".svg", `-${hash}.svg`), data });
}
let index = await readFile(join(here, "src/index.html"), "utf8");
for (const [mark, start] of [["MAIN", "main-"], ["STYLE", "page-"], ["TERMINAL_STYLE", "terminal-"], ["ICON", "icon-"], ["ICON_NEED", "need-"]]) {
  const extension = { MAIN: ".js", STYLE: ".css", TERMINAL_STYLE: ".css" }[mark] ?? ".svg";
  const named = files.filter((file) => file.name.endsWith(extension));
  index = index.replaceAll(`{{${mark}}}`, starting(named, start));
}
const main = files.find((file) => file.name.startsWith("main-"));
// Without these lines the browser asks for what main imports only when it has main.
index = index.replace("{{PRELOADS}}", main.imports.map((name) => `<link rel="modulepreload" href="/static/${name}" />`).join("\n    "));
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await writeFile(join(target, "index.html"), index); // its nonce is put in by the server: it is not compressed
await writeFile(join(target, "LICENSES.txt"), await licences());
for (const { name, data } of files) {
  await writeFile(join(target, name), data);
  await writeFile(join(target, `${name}.gz`), gzipSync(data, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: data.length };
  await writeFile(join(target, `${name}.br`), brotliCompressSync(data, { params }));
}
