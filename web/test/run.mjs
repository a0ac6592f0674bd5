// Runs the tests beside this file: bundled by esbuild into a folder of their own, then `node --test`.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TABLE } from "../table.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const names = (await readdir(here)).filter((name) => name.endsWith(".test.ts")).sort();
const folder = await mkdtemp(join(tmpdir(), "truetty-page-"));
try {
  await build({
    entryPoints: names.map((name) => join(here, name)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    alias: TABLE,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  const files = names.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")));
  const done = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
  process.exitCode = done.status ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
