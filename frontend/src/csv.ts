// Tables as CSV that spreadsheets open as data and never as formulas.

/** Lines of quoted cells, RFC 4180. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

const NUMBER = /^-?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf)$/i;

/** One cell; a text that a spreadsheet would run gets an apostrophe in front. */
export function cell(text: string): string {
  const risky = /^[\s\u00a0\ufeff]*[=+\-@|%\t\r]/.test(text) && !NUMBER.test(text);
  const safe = risky ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
