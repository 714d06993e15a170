// The payload of a figure: the contract between Python, which writes it, and these scripts, which read it.
// tests/explorable/test_typescript.py compares these names with what Python emits.

export interface Payload {
  title: string;
  controls: Control[];
  tensors: Record<string, TensorDocument>;
  /** Row by row. */
  views: View[][];
  /** `«name»` is replaced by a control's code. */
  code: string;
  /** The choice whose option colors the figure; "" for none. */
  color: string;
  parameters: Parameter[];
  /** The table whose cells can be edited. */
  edits: Edits | null;
}

export type Control = Slider | Choice | CellPicker;

export interface Slider {
  kind: "slider";
  name: string;
  /** The name in the URL. */
  slug: string;
  /** Ascending. */
  values: number[];
  /** The text shown at each position, as for all controls. */
  labels: string[];
  /** Each position's code. */
  codes: string[];
  /** The default position. */
  start: number;
  when: When;
  /** Whether there are previous and next buttons. */
  walks: boolean;
}

export interface Choice {
  kind: "choice" | "stepper" | "switch";
  name: string;
  slug: string;
  values: string[];
  labels: string[];
  codes: string[];
  /** A theme token for each option. */
  colors: string[];
  start: number;
  when: When;
}

export interface CellPicker {
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
  /** The leading controls, in order. */
  over: string[];
  /** Positions of each leading control, then the remaining dimensions. */
  shape: number[];
  /** Decimal places of fixed-point integers; null for float32. */
  decimals: number | null;
  /** Per number. */
  bytes: 1 | 2 | 4;
  /** The axis stored as differences, moved to the end. */
  difference: number | null;
  /** Texts by value, where values are indices into them; else empty. */
  words: string[];
  /** zlib-compressed bytes in base64: all first bytes, then all second bytes, and so on. */
  data: string;
}

/** A template: text with placeholders. */
export type Pieces = (string | Field)[];

export interface Field {
  /** A tensor or a control. */
  name: string;
  format: string;
  /** A CSS class, or "". */
  style: string;
}

/** A control or a tensor. */
export type Name = string;

/** The same, or "" for none. */
export type NameOrNone = string;

/** The positions of each named control at which something is shown. */
export type When = Record<string, number[]>;

/** The source of a trace attribute. */
export type TraceSource = Values | BandEdges | MarkAt;

/** A slice of a tensor, or its values along a control. */
export interface Values {
  kind: "values";
  tensor: string;
  /** The control, or "". */
  along: string;
}

export type Parameter = EnumParameter | IntParameter | RunParameter | TextParameter;

export interface EnumParameter {
  kind: "pick";
  name: string;
  label: string;
  value: string;
  start: string;
  options: { value: string; label: string }[];
  /** The kind of data that readers may bring: a table, a run, points, or none. */
  own: "table" | "run" | "points" | "";
  /** The value that a partial figure is completed with, or "". */
  then: string;
}

export interface IntParameter {
  kind: "whole";
  name: string;
  label: string;
  value: number;
  start: number;
  low: number;
  high: number;
  /** The label of a button for a random number, or "". */
  fresh: string;
}

/** A text that the reader types. */
export interface TextParameter {
  kind: "written";
  name: string;
  label: string;
  value: string;
  start: string;
}

export interface RunParameter {
  kind: "job";
  name: string;
  label: string;
  value: string;
  start: string;
  options: { value: string; label: string }[];
  form: { experiments: Experiment[] };
}

/** An experiment that can be trained, with the allowed settings. */
export interface Experiment {
  name: string;
  label: string;
  norms: { key: string; label: string }[];
  batch_sizes: number[];
  rates: number[];
  heads: string[];
  /** Minimum batch size by the norm's key, where 1 is too small. */
  fewest: Record<string, number>;
  default: Specification;
  /** Whether its data come from a file that must be uploaded first. */
  reads_file: boolean;
}

/** A training: every norm at every batch size, learning rate and seed. */
export interface Specification {
  experiment: string;
  norms: string[];
  batch_sizes: number[];
  rates: number[];
  seeds: number[];
  steps: number;
  every: number;
  head: string;
  /** The id of the reader's data file, or "". */
  file: string;
}

// Views and what is in them, from their dataclasses in lnviz/explorable, by `make contract`.

export type View = Grid | Cube | Diagram | Scene | Chart | PhotoGallery | Pictures | ScatterPlane | UnitMaps | Readout;

/** A table of numbers, colored by value; the group of the pointed cell is outlined. */
export interface Grid {
  kind: "grid";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The `CellPicker` that names rows and columns. */
  pointer: Name;
  /** The value at which the color scale ends, on either side of 0; or its tensor, where it follows the state. */
  reach: number | Name;
  /** The tensor drawn, one cell for each position of the pointer; NaN is a blank cell. */
  values: NameOrNone;
  /** Labels of the rows, templates, in place of the pointer's. */
  heads: Pieces[];
  /** In place of `values`: a label (a template) and a tensor for each row. */
  rows: { label: Pieces; values: Name }[];
  /** The tensor of group ids, if cells share statistics; a negative id is a cell outside the batch. */
  groups: Name | null;
  /** Statistics beside the rows and below the columns. */
  margins: Margin[];
  /** The `Toggle` that turns rows into columns. */
  layout: Name | null;
  /** The token of the outline, or `current`: the color of the figure. */
  color: string;
  /** Decimal places or significant digits, as in `Readout`. */
  format: string;
  /** A tensor of pictures, `(rows, height, width)` pixels from 0 (the page) to 1 (ink), drawn at the labels of the first rows. */
  pictures: NameOrNone;
  /** A short text above each cell's number, of a line or two, in the order of the pointer; empty where there is none. */
  words: string[];
  /** In place of `words`, for each of `rows` a tensor of words: they follow the state. */
  above: Name[];
  /** Where its numbers count what failed: that of `failure`, the more the stronger, or that of `success`, the fewer the stronger. */
  shade: "" | "failure" | "success";
  /** Controls that go to these values, one each, with a cell that is pointed at. */
  also: When;
  /** What the columns are, and what the rows are, templates; empty where their labels say. */
  axes: Pieces[];
  /** Where it is shown. */
  when: When;
  /** Steps of the color scale on either side of 0. */
  levels: number;
}

/** Statistics beside a grid. */
export interface Margin {
  /** `row` for one number a row, beside it; `column` for one a column, below it. */
  side: "row" | "column";
  /** The heading of the numbers. */
  label: string;
  /** The tensor of the numbers. */
  values: Name;
  /** Where they are shown. */
  when: When;
  /** A tensor of the same length: where it is 1, the number stands out. */
  marks: NameOrNone;
  /** Decimal places or significant digits, as in `Readout`. */
  format: string;
}

/** A block of cells; those that share statistics with the pointed cell are filled. */
export interface Cube {
  kind: "cube";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The `CellPicker` whose cells they are. */
  pointer: Name;
  /** The tensor of places on the picture, `(corners, 2)`, y down. */
  corners: Name;
  /** The slider of the angle from which one looks; a hand on the picture moves it, too. */
  turn: Name;
  /** The faces that can be seen, from back to front. */
  faces: Face[];
  /** Width and height of the picture, in the corners' unit. */
  size: [number, number];
  /** The tensor of group ids, by position of the pointer. */
  groups: Name;
  /** The picture in words, a template that follows the state. */
  alt: Pieces;
  /** The names of the axes, beside the block. */
  axes: CubeAxis[];
  /** Where it is shown. */
  when: When;
}

/** One side of a cell: `front`, `top` or `side`, and the numbers of its corners in turn. */
export interface Face {
  cell: number;
  side: "front" | "top" | "side";
  corners: [number, number, number, number];
}

/** An axis' name at a corner of the picture, which is its `start`, `middle` or `end`. */
export interface CubeAxis {
  text: string;
  corner: number;
  anchor: "start" | "middle" | "end";
  rising: boolean;
}

/** Boxes and arrows between them. */
export interface Diagram {
  kind: "diagram";
  /** A template, as in `Readout`; `\n` breaks the line. */
  title: Pieces;
  /** The slider or choice whose positions boxes and arrows stand for. */
  control: Name;
  /** The boxes, drawn over the arrows. */
  boxes: DiagramBox[];
  /** The arrows, in the order in which things flow. */
  arrows: DiagramArrow[];
  /** Width and height of the picture, in CSS pixels at its natural size; y is down. */
  size: [number, number];
  /** The picture in words, a template that follows the state. */
  alt: Pieces;
  /** The text below the picture, a template; `\n` breaks the line. */
  note: Pieces;
  /** Whether a mouse that rests on a part shows its position, until it leaves; a click goes there in any case. */
  hover: boolean;
  /** The unit of widths that are bound to tensors, in CSS pixels at the natural size. */
  scale: number;
  /** Bars in the picture. */
  bars: DiagramBar[];
  /** What stands beside the picture, or below it where there is no room. */
  profile: Profile | null;
  /** Where it is shown. */
  when: When;
}

/** A box with words. */
export interface DiagramBox {
  /** Where its middle lies. */
  center: [number, number];
  /** Width and height. */
  size: [number, number];
  /** A template, as in `Readout`; `\n` breaks the line. */
  text: Pieces;
  /** Positions of the diagram's control at which it stands out; pointing at the box goes to the first one. */
  at: number[];
  /** The color of the edge and the words; without it, that of the page. */
  token: string;
  /** Whether the edge is dotted: what is given, or lies outside. */
  dotted: boolean;
  /** Whether its ends are round. */
  round: boolean;
  /** Whether its ground has the color, and its words that of what stands on it. */
  filled: boolean;
}

/** A way with a head at its end, where it has one. */
export interface DiagramArrow {
  /** Its corners. */
  corners: [number, number][];
  /** Positions of the diagram's control at which it stands out, as of a `Box`. */
  at: number[];
  /** Whether it ends in a head; without one it goes on in another arrow. */
  head: boolean;
  /** The tensor of its width, in the diagram's unit; without it, it is a thin line. */
  width: NameOrNone;
  /** The color; without it, a pale one. */
  token: string;
}

/** A bar on a track that shows how long it could be, with words above. */
export interface DiagramBar {
  /** The upper left corner of the track. */
  corner: [number, number];
  /** Length and thickness of the track. */
  size: [number, number];
  /** The tensor of how much of the track the bar takes, from 0 to 1. */
  fraction: Name;
  /** What it is, above its beginning, a template. */
  label: Pieces;
  /** What is said above the track's end, a template. */
  number: Pieces;
  /** The color; without it, a pale one. */
  token: string;
}

/** A road through all layers, from the first at the top to the last, with a bar beside each. */
export interface Profile {
  /** What the road is and what the bars are, templates. */
  heads: [Pieces, Pieces];
  /** The tensor of its widths in the diagram's unit, for each layer as many as there are evenly from its beginning to its end; NaN behind the last layer. */
  road: Name;
  /** The tensor of the bars' lengths, one for each layer; NaN behind the last layer. */
  bars: Name;
  /** The length of a bar that takes all the room. */
  reach: number;
  /** Beside the first bar and beside the last, templates. */
  ends: [Pieces, Pieces];
  /** Width and height of the picture, as of the diagram. */
  size: [number, number];
  /** The color of road and bars; without it, a pale one. */
  token: string;
  /** The color of a norm's mark in each layer. */
  mark: string;
  /** Whether the mark lies across the road; otherwise it is beside it. */
  across: boolean;
}

/** What lies in space around a middle, drawn without perspective. */
export interface Scene {
  kind: "scene";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of the camera, `(3, 3)`, as `cameras` gives it. */
  camera: Name;
  /** The slider of the angle from which one looks; a hand on the picture moves it, too. */
  turn: Name;
  /** How far the picture shows, to every side of the middle. */
  reach: number;
  /** The picture in words, a template that follows the state. */
  alt: Pieces;
  /** The lines, in the order of painting. */
  paths: Path[];
  /** Dots and words, drawn over the lines. */
  spots: Spot[];
  /** Spheres, drawn below the lines. */
  balls: Ball[];
  /** Where it is shown. */
  when: When;
}

/** Points joined in turn. */
export interface Path {
  /** Tensors of places, `(3,)` or `(points, 3)` each, one behind the other. */
  points: Name[];
  /** A token of the theme. */
  color: string;
  /** The width of the line, in the scene's unit. */
  width: number;
  /** Whether the line is broken. */
  dashed: boolean;
  /** Whether what it encloses is filled, so lightly that the rest shines through. */
  filled: boolean;
  /** Whether what lies behind the middle of the scene is drawn paler than what lies before it. */
  sided: boolean;
}

/** A place with a dot, with words beside it, or with both. */
export interface Spot {
  /** The tensor of the place, `(3,)`. */
  points: Name;
  /** The words. */
  text: string;
  /** A token of the theme. */
  color: string;
  /** The radius of the dot, in the scene's unit; 0 for none. */
  radius: number;
  /** On which side of the place the words are: `right` or `left`, above it, or `below`. */
  side: "right" | "left" | "below";
}

/** A sphere about the middle of the scene: a circle, from wherever one looks. */
export interface Ball {
  radius: number;
  color: string;
}

/** A Plotly figure whose trace attributes are bound to swept tensors. */
export interface Chart {
  kind: "chart";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The figure. */
  figure: { data: Record<string, any>[]; layout: Record<string, any> };
  /** For each trace that moves, by number: its attributes (`y`, `x`, ...) and what they show. */
  bind: Record<string, Record<string, TraceSource>>;
  /** The chart in words, a template that follows the state. */
  alt: Pieces;
  /** The height in CSS pixels. */
  height: number;
  /** For each trace whose points a hand takes hold of, by number, the control that it moves. */
  draggable: Record<string, Name>;
  /** Where it is shown. */
  when: When;
}

/** The outline of a band, there and back: its upper edge, then its lower one reversed. */
export interface BandEdges {
  kind: "band";
  upper: Values;
  lower: Values;
}

/** The points of some traces, one each, at which a control stands. */
export interface MarkAt {
  kind: "mark";
  /** Its position is the point's number; without a name, the last point is meant that has a value, and the browser moves those apart that would lie on each other. */
  control: NameOrNone;
  /** Numbers of the traces, which come before this one or are this one itself: its own points are then all those where the control can stand. */
  traces: number[];
  /** The number of the point at each position, where it is another one. */
  indices: number[];
}

/** Pictures in color, side by side: what is drawn of a channel is `scale * x + shift`. */
export interface PhotoGallery {
  kind: "photos";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor x, `(pictures, 3, height, width)`. */
  values: Name;
  /** The tensor of a factor for each channel, `(pictures, 3)`. */
  scale: Name;
  /** The tensor of what is added to each channel, `(pictures, 3)`. */
  shift: Name;
  /** Texts below each picture, templates. */
  labels: Pieces[];
  /** The pictures in words, a template that follows the state. */
  alt: Pieces;
  /** Where they are shown. */
  when: When;
}

/** Small pictures in rows, one color a pixel, on a scale that holds for all of them. */
export interface Pictures {
  kind: "pictures";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor drawn, `(rows, columns, height, width)`; NaN is no pixel. */
  values: Name;
  /** Texts below each column, templates. */
  labels: Pieces[];
  /** The pictures in words, a template that follows the state. */
  alt: Pieces;
  /** The value at which the color scale ends, on either side of 0; what lies beyond has the color of the end. */
  reach: number;
  /** Texts beside each row, templates; a single row may do without. */
  heads: Pieces[];
  /** The scale runs from 0 (the page) to `reach` (ink) in place of both sides of 0. */
  ink: boolean;
  /** Where they are shown. */
  when: When;
}

/** Points of two classes in a plane; behind them, a score of each place as its color. */
export interface ScatterPlane {
  kind: "plane";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of the points, `(points, 2)`: to the right and up. */
  points: Name;
  /** The tensor of their classes, 0 or 1, one for each point. */
  classes: Name;
  /** What the two classes are called. */
  labels: [string, string];
  /** The plane ends here, to every side of the middle. */
  reach: number;
  /** What lies to the right and what lies up, templates. */
  axes: [Pieces, Pieces];
  /** The plane in words, a template that follows the state. */
  alt: Pieces;
  /** The tensor of the score, `(height, width)` places from the upper left one on, from -1 for class 0 to 1 for class 1. */
  score: NameOrNone;
  /** The parameter that a reader's own points are the value of, if they can be painted. */
  paint: string;
  /** How such a value begins; then come the points of class 0, a dot and those of class 1, each of them two letters: its place to the right and its place up. */
  before: string;
  /** The letters of places, from one edge to the other. */
  letters: string;
  /** How many points there have to be. */
  fewest: number;
  /** How many points can be painted. */
  most: number;
  /** Where it is shown. */
  when: When;
}

/** The units of each layer as small pictures, in columns from the input to the output. */
export interface UnitMaps {
  kind: "units";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of what comes in, `(inputs, height, width)`, from -1 to 1. */
  inputs: Name;
  /** The tensor of what the units say, `(layers, units, height, width)`, from -1 to 1; NaN in layers that the network has not. */
  values: Name;
  /** The tensor of how many layers it has. */
  layers: Name;
  /** The network in words, a template that follows the state. */
  alt: Pieces;
  /** What stands between the weights and the nonlinearity of each layer, a template; empty where nothing does. */
  norm: Pieces;
  /** Where it is shown. */
  when: When;
}

/** A sentence or formula with live numbers. */
export interface Readout {
  kind: "readout";
  /** A template. */
  pieces: Pieces;
  /** `formula` (large), `note` (prose), `verdict` (prose that stands out), `finding` (what the figure shows, as its heading) or `method` (how its numbers came about, folded away). */
  style: string;
  /** Where it is shown; everywhere without it. */
  when: When;
  /** Shown only where this tensor has a value. */
  if_finite: NameOrNone;
  /** Shown only where this tensor has none (NaN). */
  if_nan: NameOrNone;
}

/** How a changed cell becomes another value of a parameter. */
export interface Edits {
  /** The parameter that names the table. */
  parameter: string;
  /** The pointer whose held cell can be typed anew. */
  pointer: Name;
  /** How the value begins. */
  before: string;
  /** The table as text, heads included. */
  lines: string[][];
  /** Line and place in it of the pointer's first cell. */
  first: [number, number];
}

// Until here.
