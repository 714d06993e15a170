// Keeps the figure of a slide the same on all projectors of a room. Any of them may be moved by hand, or step by step.

import { Retry } from "../engine/retry.js";
import { isSamePose } from "./slide_position.js";

/** @typedef {import("./room_connection.js").Pose} Pose */
/**
 * A figure's state; `step` is the number of its step, counted from 1, and of all steps, or empty where none is shown.
 * @typedef {{pose: Pose, step: number[]}} FigureState
 */
/** The figure's state in the room; an empty pose where no projector has sent one. @typedef {{pose: Pose, step: number}} RoomFigure */
/**
 * @typedef {object} FigureSyncOptions
 * @property {() => FigureState | null} read returns the figure's present state; null while it is not loaded
 * @property {(room: RoomFigure) => Promise<void>} apply sets the figure to the room's state
 * @property {(by: number) => void} turnStep moves the figure to another step
 * @property {(state: FigureState, isStepKnown: boolean, isCurrent: import("./commands.js").IsCurrent) => Promise<import("./commands.js").CommandResult>} send
 * sends the figure's state; if the room knows its step, without it
 * @property {() => void} onSent called after an attempt to send
 */

/** Minimum milliseconds between two poses sent to phones. */
const SEND_INTERVAL_MS = 600;
/** Maximum milliseconds on the way to a step, which may have to be loaded. */
const TURN_MS = 3_000;
/** Milliseconds over which several projectors that follow the remote spread their poses: the first one is enough. */
const SEND_SPREAD_MS = 400;

/**
 * Synchronizes the figure of one visit to a slide. The figure is in one of three states:
 * - It takes over the room's pose (`isTaking`): when the projector enters a room, and when the pose changes there.
 * - The room has its state (`agreed`).
 * - It has moved here: its state is sent, again after a failure, until the room has it. Meanwhile it takes over nothing,
 *   so the last hand wins. What has been taken over is not sent back, even if the figure could not follow exactly.
 */
export class FigureSync {
  /**
   * @param {FigureSyncOptions} options
   * @param {RoomFigure | null} room the room's figure after a turn to the slide, where the figure is as it was left
   * here; null for a projector that enters the room
   */
  constructor(options, room) {
    this.options = options;
    this.room = room;
    /** The figure's state that the room has; null if it has none, or while one is being sent. @type {FigureState | null} */
    this.agreed = null;
    /** The state that is being sent: until the server answers, what the room has is not known. @type {FigureState | null} */
    this.sending = null;
    /** The step that the figure had when the room had its state last; 0 for none. */
    this.agreedStep = 0;
    /** Until when the figure is on its way to a step that the room has; 0 if it is not. */
    this.turningUntil = 0;
    /** Whether every projector can tell the figure's state: after a turn, or at a step that the room has turned to. */
    this.isShared = false;
    /** When the figure's state was sent last. */
    this.sentAt = 0;
    /** The figure's state after its last movement; null before it is loaded. @type {FigureState | null} */
    this.settled = null;
    this.isTaking = this.isApplying = this.isClosed = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.retry = new Retry(() => this.send());
  }

  /** Whether the room has the figure's state. */
  get isAgreed() {
    return this.agreed !== null && !this.hasMoved(this.settled);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.retry.cancel();
  }

  /** Follow a state of the room that includes all commands sent from here. @param {import("./room_connection.js").Room} room */
  follow({ pose, counted: [, , step = 0] }) {
    const { room: before } = this;
    const figure = this.options.read();
    this.room = { pose, step };
    const isChanged = before === null || !isSamePose(pose, before.pose);
    // If it has been moved to the same pose here, only the step is taken over.
    const isFree = before === null || !this.hasMoved(figure) || (isSamePose(pose, figure?.pose ?? {}) && !this.hasTurned(figure));
    if (isChanged && Object.keys(pose).length && isFree) this.isTaking = true;
    // A step here that could not be sent gives way to one that others have taken meanwhile: the class is there.
    else if (!isChanged && !this.isTaking && (!this.retry.failures || this.hasTurned(figure))) this.followStep(before.step, figure?.step[0] ?? 0);
    this.update();
  }

  /** Take the step that the remote has turned to. @param {number} before the room's step before @param {number} at */
  followStep(before, at) {
    const { step } = /** @type {RoomFigure} */ (this.room);
    if (step === before || !step || !at || step === at) return;
    this.turningUntil = Date.now() + TURN_MS;
    this.options.turnStep(step - at);
  }

  /** The figure is loaded, or a movement has ended. */
  onSettled() {
    this.isShared = this.settled === null || this.turningUntil > 0;
    this.settled = this.options.read();
    if (this.turningUntil) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.turningUntil = 0;
    }
    this.retry.cancel(); // what failed to be sent is no longer the figure's state
    this.update();
  }

  update() {
    if (this.isTaking) {
      this.take();
      return;
    }
    const { room, settled } = this;
    if (!room || !settled) return;
    if (!this.sending && isSamePose(settled.pose, room.pose) && (settled.step[0] === room.step || !this.hasTurned(settled))) this.agree(settled);
    if (!this.hasMoved(settled) || this.timer !== undefined || this.retry.failures) return;
    const wait = this.isShared ? SEND_INTERVAL_MS + SEND_SPREAD_MS * Math.random() : this.sentAt + SEND_INTERVAL_MS - Date.now();
    this.timer = setTimeout(() => this.send(), Math.max(0, wait));
  }

  /** Note that the room has a state of the figure. @param {FigureState | null} figure */
  agree(figure) {
    this.agreed = figure;
    this.agreedStep = figure?.step[0] ?? this.agreedStep;
  }

  /**
   * Return whether a step was turned to here: otherwise the room's step is not changed for a pose that the room has.
   * @param {FigureState | null} figure
   */
  hasTurned(figure) {
    return figure !== null && figure.step.length > 0 && figure.step[0] !== this.agreedStep;
  }

  /** Return whether a state of the figure is another one than the room has. @param {FigureState | null} figure */
  hasMoved(figure) {
    const { agreed } = this;
    if (!figure || !agreed) return figure !== null;
    // A question hides the steps.
    const isOtherStep = figure.step.length > 0 && agreed.step.length > 0 && figure.step[0] !== agreed.step[0];
    return isOtherStep || !isSamePose(figure.pose, agreed.pose);
  }

  /** Take over the room's pose, once the figure is loaded. */
  async take() {
    if (this.isApplying || !this.options.read()) return;
    this.isApplying = true;
    try {
      for (let applied = null; applied !== this.room && this.room && !this.isClosed; ) {
        applied = this.room;
        await this.options.apply(applied);
      }
    } finally {
      this.isApplying = this.isTaking = false;
      this.settled = this.options.read();
      this.agree(this.settled);
    }
  }

  /** Send the figure's state, unless the room has it. */
  async send() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { settled } = this;
    if (!settled || this.isTaking || !this.hasMoved(settled)) {
      this.retry.cancel(); // `update` sends it once that is over
      return;
    }
    // On the way to a step of the room's, the figure's last step is past.
    const turning = this.turningUntil - Date.now();
    if (turning > 0) {
      this.timer = setTimeout(() => this.send(), turning);
      return;
    }
    // A step that came from the room is not sent back: the remote may have gone on from it.
    const isStepKnown = (settled.step[0] ?? 0) === this.room?.step;
    const isCurrent = () => this.settled === settled && !this.isClosed;
    const isLate = this.retry.failures > 0 && this.hasTurned(settled);
    let isSent = false;
    /** @type {import("./commands.js").IsCurrent} */
    const isWanted = (room) => {
      isSent = isCurrent();
      // A step that could not be sent gives way to one that others have taken meanwhile.
      if (room && isLate && (room.counted[2] ?? 0) !== this.room?.step) isSent = false;
      // Of several projectors that follow the remote, only the first has to send where a step led to.
      if (room && isStepKnown && isSamePose(settled.pose, room.pose)) isSent = false;
      return isSent;
    };
    this.agreed = null;
    this.sending = settled;
    this.sentAt = Date.now();
    const { isDone, isFinal } = await this.options.send(settled, isStepKnown, isWanted);
    if (this.sending === settled) this.sending = null;
    if (this.isClosed) return;
    // Also where the figure has moved on meanwhile: what the room has from here is nothing to be followed.
    if (isDone && isSent) {
      this.room = { pose: settled.pose, step: (isStepKnown ? this.room?.step : settled.step[0]) ?? 0 };
      this.agreedStep = settled.step[0] ?? this.agreedStep;
    }
    if (isCurrent()) {
      if (isDone || isFinal) {
        this.agree(settled);
        this.retry.cancel();
      } else this.retry.schedule();
    }
    this.options.onSent();
  }
}
