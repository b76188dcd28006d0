// Bundle each kind of page into one ES module, and their style sheet, beside the Python that ships them.
import { build } from "esbuild";
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// `--outdir=DIR` lets a test compare bytes without touching what is committed.
const asked = process.argv.find((each) => each.startsWith("--outdir="));
const out = asked ? asked.slice("--outdir=".length) : here("../src/thresher/report/assets");
const LIMIT = 120_000;
const ENTRIES = { page: "src/main.ts", classes: "src/classes/main.ts", points: "src/points/main.ts", lesson: "src/lesson/main.ts" };

// d3-drag needs d3-selection, whose html() is the one way from text to markup; without it the bundle holds none.
const noMarkup = {
  name: "no-markup",
  setup(plan) {
    plan.onLoad({ filter: /d3-selection\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const kept = text.replace(/^\s*html: selection_html,$/m, "");
      if (kept === text) throw new Error("d3-selection has changed: its html() was not found");
      return { contents: kept, loader: "js" };
    });
  },
};
const FORBIDDEN = ["</script", "<!--", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(", "XMLHttpRequest"];

await build({
  absWorkingDir: here("."),
  entryPoints: ENTRIES,
  outdir: out,
  bundle: true,
  plugins: [noMarkup],
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

const sizes = [];
for (const name of Object.keys(ENTRIES)) {
  const text = await readFile(`${out}/${name}.js`, "utf8");
  for (const forbidden of FORBIDDEN) {
    if (text.includes(forbidden)) throw new Error(`${name}.js holds ${forbidden}, which no inline script of ours may`);
  }
  if (text.length > LIMIT) throw new Error(`${name}.js is ${text.length} bytes, above the budget of ${LIMIT}`);
  sizes.push(`${name}.js ${text.length} bytes`);
}
console.log(`${sizes.join(", ")}, page.css ${(await stat(`${out}/page.css`)).size} bytes`);
