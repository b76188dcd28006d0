// The committed bundle is what the sources give, byte by byte.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const here = fileURLToPath(new URL("..", import.meta.url));

it("is up to date", () => {
  const out = mkdtempSync(join(tmpdir(), "thresher-page-"));
  execFileSync(process.execPath, ["build.mjs", `--outdir=${out}`], { cwd: here });
  for (const name of ["page.js", "classes.js", "points.js", "lesson.js", "page.css"]) {
    const [built, committed] = [join(out, name), join(here, "../src/thresher/report/assets", name)].map((path) => readFileSync(path));
    expect(built.equals(committed), name).toBe(true);
  }
});
