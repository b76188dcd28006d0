// What Python writes for the classroom: sentences, and pictures whose parts come and go with the steps.

/** A polynomial by its coefficients, the constant first. */
export type Polynomial = number[];

export interface Mark {
  kind: "line" | "dot" | "area" | "text" | "letter";
  style: string;
  points: [number, number][];
  from: number; // the first and the last step in which it is drawn
  to: number;
  text?: string;
  answer?: true; // hidden while a step is a question
}

/** A slider whose value moves one mark and says one number. */
export interface Drag {
  label: string;
  says: string; // a sentence on {place} and {value}
  low: number;
  high: number;
  start: number;
  result: Polynomial;
  mark: { kind: "line" | "dot"; style: string; points: [Polynomial, Polynomial][] };
}

export interface Step {
  parts: string[]; // words and numbers in turn, as `Step.parts` of `thresher.lesson`
  strip?: number;
  here?: number[];
  past?: number;
  next?: number[];
  top?: number; // where the vertical axis ends, if not as in the lesson
  drag?: Drag;
}

export interface Lesson {
  name: string;
  short: string;
  title: string;
  about: string;
  x: [number, number, string];
  y: [number, number, string];
  marks: Mark[];
  strips: [pos: number, neg: number, below: string][][];
  shares: boolean;
  key: [style: string, text: string][]; // what the colours of areas stand for
  paper: number; // the step whose picture is on the worksheet
  steps: Step[];
}

export interface LessonContents {
  title: string;
  facts: string;
  start: string;
  lessons: Lesson[];
}
