// Where the script of several classes begins.
import type { Contents } from "../contents";
import { mountCarried } from "../mount";
import { classesPage } from "./page";

mountCarried((root, contents: Contents) => classesPage(root, contents, true));
