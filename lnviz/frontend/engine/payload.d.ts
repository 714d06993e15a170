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
  /** The figure's story; empty for none. */
  steps: Step[];
  source: Source;
}

/** Where the figure is from, for whoever cites it. */
export interface Source {
  /** The version of lnviz. */
  version: string;
  /** The public URL of the app, without a trailing slash; "" if none is set. */
  site: string;
}

/** A sentence and the state of the controls at which it holds. */
export interface Step {
  pieces: Pieces;
  /** The position of each control. */
  positions: Record<string, number>;
  /** Indices of the views it speaks of, counted without sentences; empty for all. */
  about: number[];
  /** Whether it tells the reader to find a state of the figure. */
  is_task: boolean;
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
  /** Placements of a Transformer's norms; empty if neither these nor the depth can be chosen. */
  placements: { key: string; label: string }[];
  /** The largest number of layers, if it can be chosen. */
  max_layers: number;
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
  /** Key of the placement of norms, or "". */
  placement: string;
  /** Number of layers, or 0 if it cannot be chosen. */
  layers: number;
  /** Steps over which the learning rate rises; 0 for a constant rate. */
  warm_up: number;
}

// Views and what is in them, from their dataclasses in lnviz/explorable, by `make contract`.

export type View = Grid | Cube | Diagram | Scene | Chart | PhotoGallery | Pictures | ScatterPlane | UnitMaps | Readout;

/** A table of values, colored by value; the normalization group of the picked cell is outlined. */
export interface Grid {
  kind: "grid";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The `CellPicker` that names rows and columns. */
  pointer: Name;
  /** The absolute value at which the color scale ends, or the name of its tensor. */
  color_limit: number | Name;
  /** The tensor of the cells' values, one for each position of the cell picker; NaN is a blank cell. */
  values: NameOrNone;
  /** Row labels, templates, instead of the cell picker's labels. */
  row_labels: Pieces[];
  /** Instead of `values`, a label (a template) and a tensor for each row. */
  rows: { label: Pieces; values: Name }[];
  /** The tensor of group ids, if cells share statistics; cells outside the batch have a negative id. */
  groups: Name | null;
  /** Statistics beside the rows and below the columns. */
  margins: Margin[];
  /** The `Toggle` that transposes the grid. */
  layout: Name | null;
  /** The theme token of the outline, or `current` for the color of the figure. */
  color: string;
  /** Decimal places or significant digits, as in `Readout`. */
  format: string;
  /** A tensor of images, `(rows, height, width)` pixels from 0 (page) to 1 (ink), shown at the labels of the first rows. */
  pictures: NameOrNone;
  /** A short text above each cell's value, in the order of the cell picker; "" for none. */
  words: string[];
  /** Instead of `words`, a tensor of words for each of `rows`, which depends on the state. */
  row_words: Name[];
  /** For counts: `failure` shades larger values more strongly, `success` smaller values. */
  shade: "" | "failure" | "success";
  /** The values to which picking a cell sets other controls, by control. */
  also: When;
  /** The names of the columns and the rows, templates; empty if the labels are enough. */
  axes: Pieces[];
  /** The control values at which it is shown. */
  when: When;
  /** Steps of the color scale on either side of 0. */
  levels: number;
}

/** Statistics beside a grid's rows or below its columns, such as their means. */
export interface Margin {
  /** `row` for a value to the right of each row, `column` for a value below each column. */
  side: "row" | "column";
  /** The heading of the values. */
  label: string;
  /** The tensor of the values. */
  values: Name;
  /** The control values at which they are shown. */
  when: When;
  /** A tensor of the same length; values are highlighted where it is 1. */
  marks: NameOrNone;
  /** Decimal places or significant digits, as in `Readout`. */
  format: string;
}

/** A rotatable 3-D block of cells; cells that share statistics with the picked one are filled. */
export interface Cube {
  kind: "cube";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The `CellPicker` over the cells. */
  pointer: Name;
  /** The tensor of the corners' positions in the picture, `(corners, 2)`, y down. */
  corners: Name;
  /** The slider of the angle, which also moves when the picture is dragged. */
  turn: Name;
  /** The visible faces, from back to front. */
  faces: Face[];
  /** Width and height of the picture, in the unit of the corners. */
  size: [number, number];
  /** The tensor of group ids, by position of the cell picker. */
  groups: Name;
  /** The alternative text, a template. */
  alt: Pieces;
  /** The names of the axes, beside the block. */
  axes: CubeAxis[];
  /** The control values at which it is shown. */
  when: When;
}

/** One visible side of a cell of the cube, with the indices of its four corners in order. */
export interface Face {
  cell: number;
  side: "front" | "top" | "side";
  corners: [number, number, number, number];
}

/** An axis label of the cube; its text starts, ends or is centered at a given corner. */
export interface CubeAxis {
  text: string;
  corner: number;
  anchor: "start" | "middle" | "end";
  rising: boolean;
}

/** A block diagram whose boxes and arrows are highlighted at positions of a control. */
export interface Diagram {
  kind: "diagram";
  /** A template, as in `Readout`; `\n` breaks the line. */
  title: Pieces;
  /** The slider or choice whose positions boxes and arrows refer to. */
  control: Name;
  /** The boxes, drawn over the arrows. */
  boxes: DiagramBox[];
  /** The arrows, in the order of the data flow. */
  arrows: DiagramArrow[];
  /** Width and height in CSS pixels; y is down. */
  size: [number, number];
  /** The alternative text, a template. */
  alt: Pieces;
  /** The text below the diagram, a template; `\n` breaks the line. */
  note: Pieces;
  /** Whether hovering a box or arrow shows its position until the pointer leaves; a click always selects it. */
  hover: boolean;
  /** The unit of the widths of arrows, in CSS pixels. */
  scale: number;
  /** Bars in the diagram. */
  bars: DiagramBar[];
  /** A profile beside the diagram, or below it on narrow screens. */
  profile: Profile | null;
  /** The control values at which it is shown. */
  when: When;
}

/** A box with text in a block diagram. */
export interface DiagramBox {
  /** The position of its center. */
  center: [number, number];
  /** Width and height. */
  size: [number, number];
  /** A template, as in `Readout`; `\n` breaks the line. */
  text: Pieces;
  /** Positions of the diagram's control at which it is highlighted; clicking the box selects the first one. */
  at: number[];
  /** The theme color of the edge and the text; by default, the page's text color. */
  token: string;
  /** Whether the edge is dotted, for inputs and other values from outside. */
  dotted: boolean;
  /** Whether its corners are round. */
  round: boolean;
  /** Whether it is filled with its color. */
  filled: boolean;
}

/** A polyline in a block diagram, usually with an arrowhead at its end. */
export interface DiagramArrow {
  /** The points of the line. */
  corners: [number, number][];
  /** Positions of the diagram's control at which it is highlighted, as in `DiagramBox`. */
  at: number[];
  /** Whether it ends in an arrowhead; without one, another arrow continues it. */
  head: boolean;
  /** The tensor of its width, in the diagram's unit; "" draws a thin line. */
  width: NameOrNone;
  /** The theme color; by default, a pale color. */
  token: string;
}

/** A horizontal bar that fills a fraction of a track, with a label and a number above it. */
export interface DiagramBar {
  /** The upper left corner of the track. */
  corner: [number, number];
  /** Length and thickness of the track. */
  size: [number, number];
  /** The tensor of the filled fraction, from 0 to 1. */
  fraction: Name;
  /** The label, above the beginning of the track, a template. */
  label: Pieces;
  /** The number, above the end of the track, a template. */
  number: Pieces;
  /** The theme color; by default, a pale color. */
  token: string;
}

/** A vertical path through a network's layers, the first layer at the top, with a bar per layer. */
export interface Profile {
  /** The headings of the path and of the bars, templates. */
  headings: [Pieces, Pieces];
  /** The tensor of the path's widths at evenly spaced points, in the diagram's unit; every layer has the same number of points; NaN after the last layer. */
  road: Name;
  /** The tensor of the bars' lengths, one for each layer; NaN after the last layer. */
  bars: Name;
  /** The value of a bar of full length. */
  full_length: number;
  /** The texts beside the first and the last bar, templates. */
  ends: [Pieces, Pieces];
  /** Width and height, as in `Diagram`. */
  size: [number, number];
  /** The theme color of path and bars; by default, a pale color. */
  token: string;
  /** The theme color of the norm's mark in each layer. */
  mark: string;
  /** Whether the marks lie across the path or beside it. */
  across: boolean;
}

/** A rotatable 3-D scene of lines and points around a center, in parallel projection. */
export interface Scene {
  kind: "scene";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of the camera matrix, `(3, 3)`, as returned by `cameras`. */
  camera: Name;
  /** The slider of the angle, which also moves when the picture is dragged. */
  turn: Name;
  /** The largest coordinate shown, in every direction from the center. */
  extent: number;
  /** The alternative text, a template. */
  alt: Pieces;
  /** The lines, in drawing order. */
  paths: Path[];
  /** Dots and labels, drawn over the lines. */
  spots: Marker3d[];
  /** Spheres, drawn below the lines. */
  balls: Sphere[];
  /** The control values at which it is shown. */
  when: When;
}

/** A polyline in a 3-D scene. */
export interface Path {
  /** Tensors of points, `(3,)` or `(points, 3)` each; the line joins them in order. */
  points: Name[];
  /** A theme token. */
  color: string;
  /** The width of the line, in the scene's unit. */
  width: number;
  /** Whether the line is dashed. */
  dashed: boolean;
  /** Whether the enclosed area is filled with a translucent color. */
  filled: boolean;
  /** Whether the part of the line behind the scene's center is drawn paler. */
  sided: boolean;
}

/** A point in a 3-D scene, with a dot, a label, or both. */
export interface Marker3d {
  /** The tensor of the point, `(3,)`. */
  points: Name;
  /** The label. */
  text: string;
  /** A theme token. */
  color: string;
  /** The radius of the dot, in the scene's unit; 0 for none. */
  radius: number;
  /** The position of the label: `right` (above right), `left` (above left) or `below`. */
  side: "right" | "left" | "below";
}

/** A sphere around the center of a 3-D scene; it looks like a circle from every angle. */
export interface Sphere {
  radius: number;
  color: string;
}

/** A Plotly figure whose traces (`x`, `y`, ...) change with the positions of the controls. */
export interface Chart {
  kind: "chart";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The figure. */
  figure: { data: Record<string, any>[]; layout: Record<string, any> };
  /** The data sources of each trace that depends on the controls, by trace index and attribute (`y`, `x`, ...): a tensor's slice, its values along a control (`SliceAlong`), the outline of a band (`BandEdges`), or the points at a control's position (`MarkAt`). */
  bind: Record<string, Record<string, TraceSource>>;
  /** The alternative text, a template. */
  alt: Pieces;
  /** The height in CSS pixels. */
  height: number;
  /** The control that dragging a trace's points moves, by trace index. */
  draggable: Record<string, Name>;
  /** The control values at which it is shown. */
  when: When;
}

/** Trace data: the outline of a band (its upper edge, then its lower edge reversed). */
export interface BandEdges {
  kind: "band";
  upper: Values;
  lower: Values;
}

/** Trace data of a marker: the points, on the given traces, at a control's current position. */
export interface MarkAt {
  kind: "mark";
  /** The control whose position is the index of the point. */
  control: NameOrNone;
  /** Indices of the traces, either preceding ones or this trace itself, whose points are then all possible positions of the mark. */
  traces: number[];
  /** The index of the point for each position of the control, if they differ. */
  indices: number[];
}

/** Color images side by side; the value of each channel is `scale * x + shift`. */
export interface PhotoGallery {
  kind: "photos";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor x, `(images, 3, height, width)`. */
  values: Name;
  /** The tensor of each channel's scale, `(images, 3)`. */
  scale: Name;
  /** The tensor of each channel's shift, `(images, 3)`. */
  shift: Name;
  /** The texts below the images, templates. */
  labels: Pieces[];
  /** The alternative text, a template. */
  alt: Pieces;
  /** The control values at which they are shown. */
  when: When;
}

/** Small images in a grid of rows and columns, one color per pixel, on a common color scale. */
export interface Pictures {
  kind: "pictures";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of the images, `(rows, columns, height, width)`; NaN is a blank pixel. */
  values: Name;
  /** The texts below the columns, templates. */
  labels: Pieces[];
  /** The alternative text, a template. */
  alt: Pieces;
  /** The absolute value at which the color scale ends; larger values are clipped. */
  color_limit: number;
  /** The texts beside the rows, templates; "" for none. */
  row_labels: Pieces[];
  /** Whether the scale runs from 0 (page) to `color_limit` (ink), or is symmetric about 0. */
  ink: boolean;
  /** The control values at which they are shown. */
  when: When;
}

/** A scatter plot of points in two classes, over a color map of a classifier's outputs. */
export interface ScatterPlane {
  kind: "plane";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of the points' coordinates, `(points, 2)`. */
  points: Name;
  /** The tensor of the points' classes, 0 or 1. */
  classes: Name;
  /** The names of the two classes. */
  labels: [string, string];
  /** The largest coordinate shown, in every direction from the origin. */
  extent: number;
  /** The names of the horizontal and the vertical axis, templates. */
  axes: [Pieces, Pieces];
  /** The alternative text, a template. */
  alt: Pieces;
  /** The tensor of the classifier's outputs, `(height, width)` from the upper left, from -1 for class 0 to 1 for class 1. */
  score: NameOrNone;
  /** The parameter that encodes points drawn by a reader; "" if readers cannot draw. */
  paint: string;
  /** The prefix of the parameter's value. */
  prefix: string;
  /** The letters of positions, from one edge to the other. */
  letters: string;
  /** The least number of points. */
  fewest: number;
  /** The greatest number of points. */
  most: number;
  /** The control values at which it is shown. */
  when: When;
}

/** Small activation maps of each layer's units, in columns from the input to the output. */
export interface UnitMaps {
  kind: "units";
  /** A template, as in `Readout`. */
  title: Pieces;
  /** The tensor of the inputs, `(inputs, height, width)`, from -1 to 1. */
  inputs: Name;
  /** The tensor of the units' activations, `(layers, units, height, width)`, from -1 to 1; NaN for layers that the network lacks. */
  values: Name;
  /** The tensor of the number of layers drawn. */
  layers: Name;
  /** The tensor of the distance between layers drawn, which labels them: with 2, they are layers 2, 4, 6, ... */
  every: Name;
  /** The alternative text, a template. */
  alt: Pieces;
  /** The name of the norm between the weights and the nonlinearity of each layer, a template; "" for none. */
  norm: Pieces;
  /** The control values at which it is shown. */
  when: When;
}

/** A sentence or formula with live numbers, which follow the controls. */
export interface Readout {
  kind: "readout";
  /** A template. */
  pieces: Pieces;
  /** `formula` (large), `note` (prose), `usage` (prose on how to use the figure, not on a projector), `verdict` (emphasized), `finding` (a heading that says what the figure shows) or `method` (how its numbers were computed, collapsed). */
  style: string;
  /** The control values at which it is shown; by default, always. */
  when: When;
  /** Shown only while this tensor is finite. */
  if_finite: NameOrNone;
  /** Shown only while this tensor is NaN. */
  if_nan: NameOrNone;
}

/** A data table that readers can edit in a figure, and its encoding as a URL parameter. */
export interface Edits {
  /** The parameter that encodes the table. */
  parameter: string;
  /** The cell picker whose selected cell can be edited. */
  pointer: Name;
  /** The prefix of the value. */
  prefix: string;
  /** The table as text, with headings. */
  lines: string[][];
  /** The line and column in `lines` of the cell picker's first cell. */
  first: [number, number];
}

// Until here.
