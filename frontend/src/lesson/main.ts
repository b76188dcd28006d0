// Where the script of the classroom begins.
import { mountCarried } from "../mount";
import type { LessonContents } from "./contents";
import { lessonPage } from "./page";

mountCarried((root, contents: LessonContents) => lessonPage(root, contents, true));
