// Bundle the page into one ES module and one style sheet, beside the Python that ships them.
import { build } from "esbuild";
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// `--outdir=DIR` lets a test compare bytes without touching what is committed.
const asked = process.argv.find((each) => each.startsWith("--outdir="));
const out = asked ? asked.slice("--outdir=".length) : here("../src/thresher/report/assets");
const LIMIT = 120_000;

await build({
  absWorkingDir: here("."),
  entryPoints: { page: "src/main.ts" },
  outdir: out,
  bundle: true,
  alias: { "d3-interpolate": here("src/interpolation.ts") },
  minify: true,
  format: "esm",
  target: ["es2022"],
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  banner: { js: "// thresher page. Includes D3 modules, copyright Mike Bostock, ISC License." },
});
await build({
  absWorkingDir: here("."),
  entryPoints: { page: "src/page.css" },
  outdir: out,
  minify: true,
  charset: "ascii",
  target: ["chrome111", "firefox113", "safari16.4"],
  logLevel: "warning",
});

const size = (await stat(`${out}/page.js`)).size;
const text = await readFile(`${out}/page.js`, "utf8");
for (const forbidden of ["</script", "<!--"]) {
  if (text.includes(forbidden)) throw new Error(`page.js holds ${forbidden}, which ends or hides an inline script`);
}
if (size > LIMIT) throw new Error(`page.js is ${size} bytes, above the budget of ${LIMIT}`);
console.log(`page.js ${size} bytes, page.css ${(await stat(`${out}/page.css`)).size} bytes`);
