// A confusion matrix as a heat map: shades are shares of the actual class, numbers are counts.
import { isolated } from "../dom";
import { Panel, PLOT } from "../panel";
import type { ClassModel } from "../contents";
import { tenth } from "../path";
import { countText, percentText } from "../reals";
import { axis, type Axis } from "../ticks";

const HELP = "Rows: actual class; columns: called. Shades are shares of the row; the diagonal is right.";
const SHADES = 9;

export function confusionPanel(model: ClassModel, classes: readonly string[], index: number, uid: string): HTMLElement {
  const panel = new Panel({ id: `confusion${index}`, title: `Confusion: ${isolated(model.name)}`, help: HELP }, uid);
  const k = classes.length;
  const label = (at: number): string => short(classes[Math.round(at - 0.5)] ?? "", Math.max(3, Math.floor(40 / k)));
  const across: Axis = { ...axis("called", 0, k), at: classes.map((_, i) => i + 0.5), text: label };
  const down: Axis = { ...across, label: "actual", domain: [k, 0], text: (at) => short(classes[Math.round(at - 0.5)] ?? "", 5) };
  panel.axes(across, down);
  const [wide, tall] = [PLOT.width / k, PLOT.height / k];
  panel.base.begin();
  model.matrix.forEach((row, i) => {
    const sum = row.reduce((all, each) => all + each, 0);
    row.forEach((count, j) => {
      const share = sum ? count / sum : 0;
      const shade = count ? Math.max(1, Math.round(share * SHADES)) : 0;
      const place = { x: tenth(j * wide + 1), y: tenth(i * tall + 1), width: tenth(wide - 2), height: tenth(tall - 2) };
      panel.base.draw(`cell${i},${j}`, "rect", { ...place, rx: 3, class: `heat ${i === j ? "right" : "wrong"} h${shade}` });
      if (k > 14) return;
      const size = Math.min(13, wide / 3.2);
      const text = { x: tenth((j + 0.5) * wide), y: tenth((i + 0.5) * tall + size / 3), "text-anchor": "middle", "font-size": tenth(size), class: `heattext${shade > 5 ? " strong" : ""}` };
      panel.base.draw(`text${i},${j}`, "text", text, countText(count));
    });
  });
  panel.base.end();
  panel.hint = (px, py) => {
    const [i, j] = [Math.floor(py / tall), Math.floor(px / wide)];
    const count = model.matrix[i]?.[j];
    if (count === undefined) return null;
    const sum = model.matrix[i].reduce((all, each) => all + each, 0);
    return { x: px, y: py, lines: [`actual ${isolated(classes[i])}`, `called ${isolated(classes[j])}`, `${countText(count)} cases, ${percentText(sum ? count / sum : 0)} of the class`] };
  };
  return panel.figure;
}

/** A text of so many letters at most, wide signs counting twice: what stands left of the axis must not reach its label. */
function short(text: string, most: number): string {
  const signs = Array.from(text);
  const wide = (sign: string): number => (sign.codePointAt(0)! >= 0x1100 ? 2 : 1);
  if (signs.reduce((sum, sign) => sum + wide(sign), 0) <= most) return text;
  let room = most - 1;
  const kept = signs.slice(0, signs.findIndex((sign) => (room -= wide(sign)) < 0));
  return `${kept.join("")}…`;
}
