// Where the bundle begins: it mounts itself on a page that carries contents, and is a widget where there is none.
import type { Contents } from "./contents";
import { mount } from "./mount";
import { render } from "./widget";

export { mount };
export default { render };

const carried = typeof document === "undefined" ? null : document.getElementById("contents");
const root = carried && document.getElementById("page");
if (carried && root) mount(root, JSON.parse(carried.textContent ?? "") as Contents);
