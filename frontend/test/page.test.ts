// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Contents } from "../src/contents";
import { binaryPage } from "../src/page";
import { render, type WidgetModel } from "../src/widget";
import { contents, EMAILS, type Given } from "./fixture";

const HOSTILE = ["</script><script>alert(1)</script>", "__proto__", "\u202egnp.\u2028", "<img src=x onerror=alert(1)>", "=cmd()"];
const wait = (ms = 200): Promise<void> => new Promise((done) => setTimeout(done, ms));

function shown(given: Contents): HTMLElement {
  const root = document.createElement("main");
  document.body.replaceChildren(root);
  root.className = "thresher live";
  binaryPage(root, given, true);
  return root;
}

const SMALL: [string, Given][] = [
  ["all tied", { name: "m", segments: [[0.5, 2, 3]], split: 0 }],
  ["perfect", { name: "m", segments: [[0.9, 2, 0], [0.1, 0, 2]], split: 1 }],
  ["reversed", { name: "m", segments: [[9, 0, 2], [1, 2, 0]], split: 0 }],
  ["one positive", { name: "m", segments: [[0.9, 0, 3], [0.5, 1, 0], [0.2, 0, 3]], split: 0 }],
  ["two cases", { name: "m", segments: [[0.9, 1, 0], [0.8, 0, 1]], split: 1 }],
  ["infinite scores", { name: "m", segments: [[Infinity, 1, 0], [0, 1, 1], [-Infinity, 0, 1]], split: 1 }],
];

beforeEach(() => {
  history.replaceState(null, "", "/");
});

describe("the page", () => {
  it.each(SMALL)("shows no NaN for %s, wherever the sliders go", async (_, given) => {
    const root = shown(contents([given]));
    for (const range of root.querySelectorAll<HTMLInputElement>("input[type=range]")) {
      for (const value of [range.min, range.max]) {
        range.value = value;
        range.dispatchEvent(new Event("input"));
        await wait(20);
        expect(root.outerHTML).not.toMatch(/NaN|Infinity/);
      }
    }
  });

  it("keeps hostile names as text", () => {
    const root = shown(contents(HOSTILE.map((name) => ({ ...EMAILS, name }))));
    expect(root.querySelectorAll("script, img")).toHaveLength(0);
    for (const name of HOSTILE) expect(root.textContent).toContain(name);
  });

  it("draws and names the other rules in the cost curve", () => {
    const given = contents([EMAILS], 2);
    const half = given.rules.find(({ kind }) => kind === "half")!;
    half.cells = { tp: 6, fn: 0, fp: 1, tn: 3 };
    given.rules.push({ ...half, kind: "current", said: "the rule in use", cells: { tp: 3, fn: 3, fp: 0, tn: 4 } });
    const panel = shown(given).querySelector("[data-panel=cost]")!;
    expect(Array.from(panel.querySelectorAll(".key li"), (each) => each.textContent)).toEqual(["never act, always act", half.said, "the rule in use"]);
    const lines = Array.from(panel.querySelectorAll(".lower line.zero"), (line) => ["y1", "y2"].map((end) => Number(line.getAttribute(end))));
    const [one, other] = lines; // from the false positive rate to the false negative rate, upwards on the screen
    expect(one[0]).toBeLessThan(one[1]);
    expect(one[1]).toBe(other[0]);
    expect(one[1] - one[0]).toBeCloseTo((other[0] - other[1]) / 2, 0); // 1/4 against 1/2
  });

  it.each([false, true])("folds the comparison of models below other sections: %s", (folded) => {
    const pair = { measure: "AUC", a: "a", b: "b", difference: 0.1, lower: 0, upper: 0.2, p_value: 0.05, adjusted: 0.05, verdict: "undecided" };
    const root = shown({ ...contents([EMAILS, { ...EMAILS, name: "b" }]), comparison: [pair], folded } as Contents);
    const details = root.querySelector("button[aria-label^='Copy Pairwise comparison']")!.closest("details");
    expect(details && [details.open, details.querySelector("summary")!.textContent]).toEqual(folded ? [false, "1 pair"] : null);
  });

  it("moves the threshold by arrow keys on a marker and stops following", async () => {
    const root = shown(contents([EMAILS], 2));
    const handle = root.querySelector("[data-panel=roc] .handle")!;
    expect(handle.getAttribute("aria-valuenow")).toBe("8");
    handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    await wait();
    expect(handle.getAttribute("aria-valuenow")).toBe("7");
    expect(root.querySelector<HTMLInputElement>("input[id$=follow]")!.checked).toBe(false);
    expect(root.querySelector("[data-cell=tp]")!.textContent).toContain("5");
  });

  it("says the answer anew under other costs, and keeps the evaluated one", async () => {
    const root = shown(contents([EMAILS]));
    expect(root.querySelector(".lead")!.textContent).toBe("Use it.");
    const field = root.querySelector<HTMLInputElement>("input[id$=costratio-text]")!;
    field.value = "1/20";
    field.dispatchEvent(new Event("change"));
    await wait();
    expect(root.querySelector(".lead")!.textContent).toMatch(/Call a case positive when tree says 0\.77/);
    expect(root.querySelector(".original")!.textContent).toContain("Use it.");
  });

  it.each(["0x10", "1e", "--1", "0b1", " ", "1 2"])("says that %j is no threshold", async (text) => {
    const root = shown(contents([EMAILS]));
    const field = root.querySelector<HTMLInputElement>("input[id$=threshold-text]")!;
    field.value = text;
    field.dispatchEvent(new Event("change"));
    await wait(20);
    expect(field.getAttribute("aria-invalid")).toBe("true");
  });

  it.each(["1e200", "1e-320", "1e13"])("refuses the ratio %s and says so", async (text) => {
    const root = shown(contents([EMAILS]));
    const field = root.querySelector<HTMLInputElement>("input[id$=costratio-text]")!;
    field.value = text;
    field.dispatchEvent(new Event("change"));
    await wait(20);
    expect(root.querySelector("[id$=costratio-error]")!.textContent).toContain("Write a ratio");
    expect(root.textContent).not.toMatch(/NaN|Infinity/);
  });

  it("shows names as they may be shown, and knows them as they were given", () => {
    const given = contents([EMAILS]);
    given.models[0].name = given.decision!["model"] = "a\u202eb";
    given.models[0].shown = "a\ufffdb";
    const root = shown(given);
    expect(root.textContent).toContain("a\ufffdb");
    expect(root.textContent).not.toContain("\u202e");
    expect(root.querySelector(".lead")!.textContent).toBe("Use it.");
  });

  it("restores the address and writes it", async () => {
    history.replaceState(null, "", "#cost=3&plane=coverage&threshold=0.5");
    const root = shown(contents([EMAILS]));
    await wait(500);
    expect(root.querySelector<HTMLInputElement>("input[id$=costratio-text]")!.value).toBe("3:1");
    expect(root.querySelector("[data-panel=roc] h3")!.textContent).toBe("Coverage plot");
    root.querySelectorAll<HTMLButtonElement>(".choices button").forEach((each) => each.textContent === "Reset" && each.click());
    await wait(500);
    expect(location.hash).toBe("");
  });

  it("offers a text box where the clipboard is denied", async () => {
    vi.stubGlobal("navigator", { clipboard: { writeText: () => Promise.reject(new Error("denied")) } });
    const root = shown(contents([EMAILS]));
    root.querySelector<HTMLButtonElement>("button.primary")!.click();
    await wait(50);
    const copied = JSON.parse(root.querySelector<HTMLTextAreaElement>(".copybox textarea")!.value) as { model: string };
    expect(copied.model).toBe("tree");
    vi.unstubAllGlobals();
  });
});

describe("the widget", () => {
  it("speaks and hears threshold and condition", async () => {
    const traits = new Map<string, unknown>([["contents", contents([EMAILS])], ["threshold", null], ["condition", { cost_ratio: 1, class_ratio: null }]]);
    const hearing = new Map<string, () => void>();
    const model: WidgetModel = {
      get: (name) => traits.get(name),
      set: (name, value) => void traits.set(name, value),
      save_changes: vi.fn(),
      on: (event, act) => void hearing.set(event, act),
    };
    const el = document.createElement("div");
    document.body.replaceChildren(el);
    const stop = render({ model, el });
    traits.set("threshold", 0.7);
    hearing.get("change:threshold")!();
    await wait();
    expect(el.querySelector("[data-panel=roc] .handle")!.getAttribute("aria-valuenow")).toBe("4");
    traits.set("condition", { cost_ratio: 4, class_ratio: 0.5 });
    hearing.get("change:condition")!();
    await wait();
    expect(el.querySelector<HTMLInputElement>("input[id$=costratio-text]")!.value).toBe("4:1");
    el.querySelector("[data-panel=roc] .handle")!.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
    await wait();
    expect(traits.get("threshold")).toBe("-inf");
    expect(model.save_changes).toHaveBeenCalled();
    traits.set("condition", { cost_ratio: 1e308, class_ratio: 1e308 });
    hearing.get("change:condition")!();
    await wait();
    expect(el.querySelector<HTMLInputElement>("input[id$=costratio-text]")!.value).toBe("4:1");
    const removed = vi.spyOn(window, "removeEventListener");
    stop();
    expect(removed.mock.calls.map(([name]) => name)).toContain("beforeprint");
    removed.mockRestore();
  });
});
