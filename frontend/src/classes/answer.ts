// The answer among k classes: one sentence, four tiles, the caution that matters most, and what every way to act costs.
import { cautionList } from "../cautions";
import type { Contents } from "../contents";
import { el, isolated, named, say } from "../dom";
import { tile, type TileTexts } from "../first";
import { swatch } from "../palette";
import { decimals, real, shown } from "../reals";
import { Table, type Value } from "../table";
import { dearestText } from "./confusion";
import type { ClassScene, ClassView, Limited } from "./view";

const FEW = 6; // classes that are named one by one
const SURE = 1e-12;

export interface Answer {
  root: HTMLElement;
  update(view: ClassView): void;
}

export function answer(scene: ClassScene, tools: readonly HTMLElement[]): Answer {
  const { contents } = scene;
  const lead = el("p", { class: "lead" });
  const why = el("p", { class: "why" });
  const tiles = ["cost", "probable", "constant", "foretold"].map((name) => tile(name));
  const [caution] = contents.cautions;
  const word = el("b");
  const mind = caution ? el("p", { class: "mind" }, word, el("bdi", {}, caution.text), " ", el("small", { class: "code" }, caution.code)) : null;
  const list = cautionList(contents.cautions);
  const summary = el("summary");
  const fold = el("details", { class: "fold" }, summary, ...contents.answer.slice(1).map((text) => el("p", {}, text)), list ? el("aside", { "aria-label": "Cautions" }, el("h2", {}, "Mind"), list) : null);
  const root = el(
    "section",
    { class: "first actions", "aria-label": "The answer" },
    el("div", { class: "answer card" }, lead, why),
    el("div", { class: "tiles", role: "list", "aria-label": "Costs per case" }, ...tiles.map((each) => each.root)),
    mind,
    fold,
    el("div", { class: "tools" }, ...tools),
  );
  return {
    root,
    update(view) {
      say(lead, leadText(scene, view));
      say(why, `${view.arbitrary || view.dearest.cost <= 0 ? "" : `${dearestText(view)} `}${settingText(scene, view)}`);
      const own = view.asEvaluated && view.stand.index === scene.decided;
      say(word, own ? "Mind: " : "Mind, as evaluated: ");
      say(summary, own ? "Why, what was foretold, what to mind" : "As evaluated: why, what was foretold, what to mind");
      tileTexts(scene, view).forEach((texts, i) => tiles[i].put(texts));
    },
  };
}

/** What to do, in one sentence. */
export function leadText(scene: ClassScene, view: ClassView): string {
  const { contents, classes } = scene;
  if (view.arbitrary) return "Every action costs the same, so that any decision is as good as another.";
  if (view.asEvaluated && view.stand.index === scene.decided) return contents.answer[0];
  const name = isolated(scene.names[view.stand.index]);
  const names = (view.actions.length <= FEW ? view.actions.map(isolated) : [`the ${classes.length} classes`, ...view.state.others.map(isolated)]).join(", ");
  const usual = view.state.rule === "probable";
  const { cost } = view.constant;
  if (cost.estimate < view.stand.cost.estimate - SURE) return `Always say ${isolated(view.constant.action)}: ${name} would cost ${shown(view.stand.cost.estimate - cost.estimate)} more per case.`;
  return usual ? `Use ${name}: say the most probable class of ${classes.length <= FEW ? classes.map(isolated).join(", ") : `the ${classes.length}`}.` : `Use ${name}: of ${names} say the one of least expected cost.`;
}

function settingText(scene: ClassScene, view: ClassView): string {
  const errors = scene.given.models.map((model) => real(model.error)).filter((error) => error > 0);
  const sample = errors.length ? ` From a sample of segments: costs are within ${shown(Math.max(...errors))} of those of all cases, at the costs evaluated.` : "";
  if (view.asEvaluated) return view.stand.index === scene.decided ? "" : `You look at ${isolated(scene.names[view.stand.index])}; the decision is for ${isolated(scene.names[scene.decided])}.`;
  const limits = scene.limited ? "" : " Limits are not computed anew for such cases.";
  return `Set on the page; costs are those of these rows.${limits}${sample}`;
}

function tileTexts(scene: ClassScene, view: ClassView): TileTexts[] {
  const { stand, probable, constant, leastCost } = view;
  const evaluated = view.asEvaluated && stand.index === scene.decided;
  const rule = evaluated ? scene.given.rules[0] : null;
  const cost: Limited = rule ? { estimate: real(rule.cost.estimate), lower: real(rule.cost.lower), upper: real(rule.cost.upper) } : stand.cost;
  const against = (what: string, other: Limited): TileTexts => {
    const saved = other.estimate - cost.estimate;
    const places = placesOf(cost);
    return { value: shown(Math.abs(saved), places), what: `${saved < -SURE ? "lost against" : "saved against"} ${what}`, limits: "", against: [["that costs", shown(other.estimate, places)]] };
  };
  const more = -stand.apart.estimate;
  const sure = stand.apart.upper < 0 ? "too sure of themselves" : stand.apart.lower > 0 ? "not sure enough" : Number.isNaN(stand.apart.lower) ? "" : "not contradicted by the data";
  return [
    { value: shown(cost.estimate, placesOf(cost)), what: "cost per case", limits: limitsOf(cost), against: rule ? [["on rows", "not chosen on"]] : [["on", "these rows"]] },
    leastCost ? against("least expected cost", leastCost) : against("the most probable class", probable),
    against(`always ${isolated(constant.action)}`, constant.cost),
    {
      value: shown(stand.foretold, placesOf(stand.apart)),
      what: "foretold by the probabilities",
      limits: "",
      against: [[more >= 0 ? "paid more:" : "paid less:", shown(Math.abs(more), placesOf(stand.apart))], ...(sure ? [["they are", sure] as [string, string]] : [])],
    },
  ];
}

function placesOf({ lower, upper }: Limited): number | null {
  const places = decimals(lower, upper);
  return places === null ? null : Math.max(2, places);
}

function limitsOf(cost: Limited): string {
  return Number.isNaN(cost.lower) || cost.lower === cost.upper ? "" : `${shown(cost.lower, placesOf(cost))} to ${shown(cost.upper, placesOf(cost))}`;
}

const COLUMNS = ["cost per case", "more than the one used", "foretold", "foretold − paid"];

/** Every way to act: models by the rule that is set, the most probable class, the best constant, the rule in use. */
export function waysTable(scene: ClassScene): { root: HTMLElement; update(view: ClassView): void } {
  const { given, names } = scene;
  const rules = new Map(given.rules.map((rule) => [rule.name, rule]));
  const others = ["most probable", "constant", ...(rules.has("current") ? ["current"] : [])];
  const heads = names.map((name, i) => ({ text: name, node: el("span", {}, swatch(i), " ", named(name)) }));
  const words = ["most probable class", "best constant", "the rule in use, as evaluated"];
  const table = new Table("What each way to act costs", [{ text: "way to act" }, ...COLUMNS.map((text) => ({ text }))], [...heads, ...others.map((_, i) => ({ text: words[i] }))]);
  const note = el("p", { class: "help" });
  return {
    root: el("div", {}, note, table.root),
    update(view) {
      const evaluated = view.asEvaluated && view.stand.index === scene.decided;
      const used = evaluated ? real(given.rules[0].cost.estimate) : view.stand.cost.estimate;
      say(note, evaluated ? "As evaluated: models cost what they do on rows they were not chosen on." : "At what is set on the page, on these rows.");
      const put = (row: number, cost: Limited, saving: Contents["rules"][number]["saving"], own: boolean): void => {
        table.put(row, 0, cell(cost, own));
        table.put(row, 1, own ? { text: "–", raw: 0 } : saving ? cell({ estimate: real(saving.estimate), lower: real(saving.lower), upper: real(saving.upper) }) : { text: shown(cost.estimate - used, placesOf(cost)), raw: cost.estimate - used });
      };
      view.stands.forEach((stand) => {
        const { index } = stand;
        const rule = evaluated ? rules.get(names[index]) : undefined;
        const cost = rule ? { estimate: real(rule.cost.estimate), lower: real(rule.cost.lower), upper: real(rule.cost.upper) } : stand.cost;
        put(index, cost, rule?.saving ?? null, stand === view.stand);
        table.put(index, 2, { text: shown(stand.foretold, placesOf(stand.apart)), raw: stand.foretold });
        table.put(index, 3, cell(stand.apart));
      });
      [view.probable, view.constant.cost].forEach((cost, i) => {
        put(names.length + i, cost, evaluated ? (rules.get(others[i])?.saving ?? null) : null, false);
        for (const column of [2, 3]) table.put(names.length + i, column, { text: "–", raw: "" });
      });
      const current = rules.get("current");
      if (!current) return;
      put(names.length + 2, { estimate: real(current.cost.estimate), lower: real(current.cost.lower), upper: real(current.cost.upper) }, evaluated ? current.saving : null, false);
      if (!view.asEvaluated) table.put(names.length + 2, 1, { text: "–", raw: "" });
      for (const column of [2, 3]) table.put(names.length + 2, column, { text: "–", raw: "" });
    },
  };
}

function cell({ estimate, lower, upper }: Limited, mark = false): Value {
  const places = placesOf({ estimate, lower, upper });
  const limits = Number.isNaN(lower) ? "" : ` [${shown(lower, places)}, ${shown(upper, places)}]`;
  return { text: `${shown(estimate, places)}${limits}`, raw: estimate, limits: [lower, upper], mark };
}
