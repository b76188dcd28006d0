// Where the script of classifiers as points begins.
import { mountCarried } from "../mount";
import type { PointContents } from "./contents";
import { pointsPage } from "./page";

mountCarried((root, contents: PointContents) => pointsPage(root, contents, true));
