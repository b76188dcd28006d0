// Refuse what could turn data into markup or code, files that grew too long, and unstable sources of numbers.
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FORBIDDEN = [
  [/\binnerHTML\b/, "use textContent"],
  [/\bouterHTML\b/, "use textContent"],
  [/\binsertAdjacentHTML\b/, "use append"],
  [/\bdocument\.write(ln)?\b/, "use append"],
  [/\beval\s*\(/, "no code from text"],
  [/\bnew Function\b/, "no code from text"],
  [/\bDOMParser\b/, "no markup from text"],
  [/\bcreateContextualFragment\b/, "no markup from text"],
  [/\bset(Timeout|Interval)\s*\(\s*["'`]/, "no code from text"],
  [/setAttribute\(\s*["'`]style["'`]/, "the CSP forbids it; set element.style"],
  [/setAttribute\(\s*["'`]on/, "use addEventListener"],
  [/\bfetch\s*\(|XMLHttpRequest|WebSocket|sendBeacon/, "the page makes no request"],
  [/\bMath\.random\b/, "the page is reproducible"],
  [/\bas any\b|: any\b/, "say the type"],
  [/@ts-(ignore|nocheck)/, "mend the type"],
];
const LONGEST = 300;

const root = fileURLToPath(new URL("src", import.meta.url));
const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".ts")).sort();
let found = 0;
const tell = (place, what) => {
  console.error(`${place}: ${what}`);
  found += 1;
};
for (const name of files) {
  const lines = (await readFile(`${root}/${name}`, "utf8")).split("\n");
  if (lines.length > LONGEST + 1) tell(`src/${name}`, `${lines.length - 1} lines, above ${LONGEST}: a concept is missing`);
  if (!lines[0].startsWith("//")) tell(`src/${name}:1`, "open with one sentence that says what the reader may expect");
  lines.forEach((line, at) => {
    for (const [pattern, instead] of FORBIDDEN) {
      if (pattern.test(line)) tell(`src/${name}:${at + 1}`, `${line.trim()} (${instead})`);
    }
  });
}
if (found) process.exit(1);
console.log(`${files.length} files, nothing forbidden`);
