// A figure's document: the one contract between Python, which writes it, and the scripts here, which read it.
// tests/explorable/test_contract.py holds these names to what Python emits.

export interface Payload {
  title: string;
  controls: Control[];
  tensors: Record<string, TensorDocument>;
  /** Row by row. */
  views: View[][];
  /** `«name»` stands for a control's code. */
  code: string;
  /** The choice whose option colors the figure; "" where none does. */
  color: string;
  parameters: Parameter[];
  /** The table whose cells can be typed anew. */
  edits: Edits | null;
}

export interface Edits {
  /** The parameter that names the table. */
  parameter: string;
  /** Its held cell can be changed. */
  pointer: string;
  /** How the parameter's value begins; the table follows, cells joined by "_", lines by "*". */
  before: string;
  /** Heads included. */
  lines: string[][];
  /** Line and place of the pointer's first cell. */
  first: [number, number];
}

export type Control = Slider | Choice | Pointer;

export interface Slider {
  kind: "slider";
  name: string;
  /** The name as it stands in the address. */
  slug: string;
  /** Ascending. */
  values: number[];
  /** The text shown at each position; so for all controls. */
  labels: string[];
  /** What stands for each position in the figure's code. */
  codes: string[];
  /** The position at rest. */
  start: number;
  when: When;
  /** Whether buttons go one position back or on. */
  walks: boolean;
}

export interface Choice {
  kind: "choice" | "stepper" | "switch";
  name: string;
  slug: string;
  values: string[];
  labels: string[];
  codes: string[];
  /** A token of the theme for each option. */
  colors: string[];
  start: number;
  when: When;
}

export interface Pointer {
  kind: "pointer";
  name: string;
  slug: string;
  rows: string[];
  columns: string[];
  labels: string[];
  codes: string[];
  start: number;
}

export interface TensorDocument {
  /** The controls that lead, in order. */
  over: string[];
  /** Positions of each leading control, then the rest. */
  shape: number[];
  /** Decimal places of fixed-point integers; null for float32. */
  decimals: number | null;
  /** The axis whose differences travel, moved to the end. */
  difference: number | null;
  /** What the values stand for, by number; empty where they are numbers themselves. */
  words: string[];
  /** zlib-compressed bytes in base64: all first bytes, then all second ones, and so on. */
  data: string;
}

export type View = Grid | Cube | Diagram | Scene | Chart | Photos | Pictures | Readout;

/** A text with places for live numbers. */
export type Pieces = (string | Field)[];

export interface Field {
  /** A tensor or a control. */
  name: string;
  format: string;
  /** A class, or "". */
  style: string;
}

/** For each control named, the positions at which something is shown. */
export type When = Record<string, number[]>;

export interface Readout {
  kind: "readout";
  pieces: Pieces;
  look: string;
  when: When;
  /** A tensor without which it is hidden, or "". */
  given: string;
  /** A tensor with which it is hidden, or "". */
  lacking: string;
}

export interface Grid {
  kind: "grid";
  title: Pieces;
  pointer: string;
  /** A tensor, or "" where each row has its own. */
  values: string;
  rows: { label: Pieces; values: string }[];
  heads: Pieces[];
  /** Above each cell's number, or ""; empty where no cell has any. */
  words: string[];
  /** In their place, for each of `rows` a tensor of words; empty where there are none. */
  above: string[];
  reach: number;
  /** Steps of the color scale on either side of 0. */
  levels: number;
  groups: string | null;
  margins: Margin[];
  /** A tensor of pictures for the first rows, or "": pixels from 0 to 1. */
  pictures: string;
  /** The switch that turns rows into columns. */
  layout: string | null;
  /** The token of the outline, or "current": the figure's. */
  color: string;
  format: string;
  when: When;
}

export interface Margin {
  side: "row" | "column";
  label: string;
  values: string;
  /** A tensor, or "". */
  marks: string;
  format: string;
  when: When;
}

export interface Cube {
  kind: "cube";
  title: Pieces;
  pointer: string;
  /** A tensor: corners, x and y (down) on the picture. */
  corners: string;
  /** From back to front. */
  faces: Face[];
  /** Width and height of the picture. */
  size: [number, number];
  /** A tensor of group ids, by the pointer's position. */
  groups: string;
  axes: Axis[];
  alt: Pieces;
  when: When;
}

/** One side of a cell that can be seen. */
export interface Face {
  cell: number;
  side: "front" | "top" | "side";
  /** Their numbers, in turn. */
  corners: number[];
}

/** An axis' name at a corner. */
export interface Axis {
  text: string;
  corner: number;
  anchor: "start" | "middle" | "end";
  /** Whether it is written from bottom to top. */
  rising: boolean;
}

export interface Diagram {
  kind: "diagram";
  title: Pieces;
  /** Its positions are what boxes and arrows stand for. */
  control: string;
  /** Over the arrows. */
  boxes: Box[];
  arrows: Arrow[];
  /** Width and height of the picture. */
  size: [number, number];
  alt: Pieces;
  /** Below the picture. */
  note: Pieces;
  /** Whether a mouse that rests on a part shows its position. */
  hover: boolean;
  when: When;
}

export interface Box {
  center: [number, number];
  size: [number, number];
  text: Pieces;
  /** Positions at which it stands out. */
  at: number[];
  /** A token of the theme, or "". */
  token: string;
  dotted: boolean;
  round: boolean;
}

export interface Arrow {
  /** Its corners. */
  way: [number, number][];
  at: number[];
  head: boolean;
}

export interface Scene {
  kind: "scene";
  title: Pieces;
  /** A tensor: what a point is multiplied by, rows to the right, down and toward the eye. */
  camera: string;
  /** How far the picture shows, to every side of the middle. */
  reach: number;
  /** In the order of painting. */
  paths: Path[];
  spots: Spot[];
  balls: Ball[];
  alt: Pieces;
  when: When;
}

/** Points joined in turn. */
export interface Path {
  /** Tensors of places, one behind the other. */
  points: string[];
  /** A token of the theme. */
  color: string;
  width: number;
  dashed: boolean;
  filled: boolean;
  /** Whether what lies behind the middle is paler. */
  sided: boolean;
}

/** A place with a dot, with words beside it, or with both. */
export interface Spot {
  /** A tensor of one place. */
  points: string;
  text: string;
  color: string;
  /** 0 for no dot. */
  radius: number;
  side: "right" | "left" | "below";
}

/** A sphere about the middle. */
export interface Ball {
  radius: number;
  color: string;
}

export interface Chart {
  kind: "chart";
  title: Pieces;
  /** A Plotly figure. */
  figure: { data: Record<string, any>[]; layout: Record<string, any> };
  /** By trace and attribute. */
  bind: Record<string, Record<string, Source>>;
  alt: Pieces;
  height: number;
  when: When;
}

/** What an attribute of a trace shows. */
export type Source = Values | Edges | Standing;

/** A tensor's slice, or its values along a control. */
export interface Values {
  kind: "values";
  tensor: string;
  /** The control, or "". */
  along: string;
}

/** The outline of a band, there and back: its upper edge, then its lower one reversed. */
export interface Edges {
  kind: "edges";
  upper: Values;
  lower: Values;
}

/** Of some traces the point, one each, at which a control stands. */
export interface Standing {
  kind: "standing";
  /** Its position is the point's number; without a name, the last point is meant. */
  control: string;
  /** Numbers of the traces, which come before this one or are this one itself. */
  traces: number[];
  /** The number of the point at each position, where it is another one; or empty. */
  places: number[];
}

export interface Photos {
  kind: "photos";
  title: Pieces;
  /** A tensor: pictures, red, green and blue, height, width. */
  values: string;
  /** A tensor: pictures, channels; what is drawn is scale * x + shift, from 0 to 1. */
  scale: string;
  shift: string;
  /** Below each picture. */
  labels: Pieces[];
  alt: Pieces;
  when: When;
}

export interface Pictures {
  kind: "pictures";
  title: Pieces;
  /** A tensor: rows, columns, height, width; NaN is no pixel. */
  values: string;
  /** Below each column. */
  labels: Pieces[];
  alt: Pieces;
  /** Where the color scale ends. */
  reach: number;
  /** Beside each row. */
  heads: Pieces[];
  /** From 0 to `reach` in place of both sides of 0. */
  ink: boolean;
  when: When;
}

export type Parameter = Pick | Whole | Job | Written;

export interface Pick {
  kind: "pick";
  name: string;
  label: string;
  value: string;
  start: string;
  options: { value: string; label: string }[];
  /** Whether visitors may bring values of their own. */
  own: boolean;
}

export interface Whole {
  kind: "whole";
  name: string;
  label: string;
  value: number;
  start: number;
  low: number;
  high: number;
  /** The label of a button that draws another number, or "". */
  fresh: string;
}

/** A text that the reader writes. */
export interface Written {
  kind: "written";
  name: string;
  label: string;
  value: string;
  start: string;
}

export interface Job {
  kind: "job";
  name: string;
  label: string;
  value: string;
  start: string;
  options: { value: string; label: string }[];
  form: { experiments: Experiment[] };
}

/** What can be trained, and what may be asked of it. */
export interface Experiment {
  name: string;
  label: string;
  norms: { key: string; label: string }[];
  batch_sizes: number[];
  rates: number[];
  heads: string[];
  /** Cases that a batch must have, by the key of the norm, where one is too few. */
  fewest: Record<string, number>;
  default: Specification;
  /** Whether its cases come from a file that must be fetched first. */
  reads_file: boolean;
}

/** What is run: every norm at every batch size, learning rate and seed. */
export interface Specification {
  experiment: string;
  norms: string[];
  batch_sizes: number[];
  rates: number[];
  seeds: number[];
  steps: number;
  every: number;
  head: string;
  /** The name of the reader's file that the cases are from, or "". */
  file: string;
}
