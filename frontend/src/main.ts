// Where the script of two classes begins: it mounts itself on a page that carries contents, and is a widget where there is none.
import type { Contents } from "./contents";
import { mountCarried } from "./mount";
import { binaryPage } from "./page";
import { render } from "./widget";

export default { render };

mountCarried((root, contents: Contents) => binaryPage(root, contents, true));
