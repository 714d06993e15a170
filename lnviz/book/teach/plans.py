"""Lesson plans: timed sequences of figures and questions for a class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lnviz.book.present.deck import deck
from lnviz.book.teach.answers import present_address
from lnviz.data.examples import WORKED_EXAMPLE
from lnviz.lessons.text import anchor
from lnviz.number_format import number


@dataclass(frozen=True)
class ShowFigure:
    """A lesson plan's activity: show a figure in a given state.

    Attributes:
        label: A short description of the figure's content.
        address: The relative URL of the figure, such as `axes?norm=batch#figure-grid`.
        control: The slug of the control that the step's instruction asks to move; phones keep it
            under the thumb.
    """

    label: str
    address: str
    control: str = ""

    def __str__(self) -> str:
        # A link's text is unique, for screen readers that list links.
        wall = f"[full window: {self.label}](present/{self.address})"
        return f"[{self.label}]({self.address}) ({wall})"


@dataclass(frozen=True)
class AskQuestion:
    """A lesson plan's activity: ask a lesson's question, before showing the figure that answers it.

    Attributes:
        lesson: The slug of the lesson.
        name: The name of the question.
    """

    lesson: str
    name: str

    def __str__(self) -> str:
        shown = deck(self.lesson)
        asked = shown.screen_of_exercise(self.name).exercise
        assert asked is not None
        text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", asked.text)  # links cannot be nested
        there = present_address(shown.lesson, self.name)
        return f"[{text}]({there})"


@dataclass(frozen=True)
class PlanStep:
    """A step of a lesson plan: an instruction and activities, with a duration.

    Attributes:
        minutes: The duration in minutes.
        instruction: The instruction for teacher and class, as Markdown.
        activities: The figures and questions, in order.
        prompt: What the class is asked or told on the slide of a step without activities, as plain
            text; the instruction, which is for the teacher, is in the notes.
    """

    minutes: int
    instruction: str
    activities: tuple[ShowFigure | AskQuestion, ...] = ()
    prompt: str = ""

    def __post_init__(self) -> None:
        assert bool(self.prompt) != bool(self.activities), f"activities or a prompt: {self}"


@dataclass(frozen=True)
class Plan:
    """A lesson plan: timed steps for a class.

    Attributes:
        title: The title.
        prerequisites: The knowledge that the plan assumes, as Markdown.
        steps: The steps, in order.
    """

    title: str
    prerequisites: str
    steps: tuple[PlanStep, ...]

    @property
    def slug(self) -> str:
        """The plan's name in URLs."""
        return anchor(self.title)

    @property
    def minutes(self) -> int:
        """The plan's total duration in minutes."""
        return sum(step.minutes for step in self.steps)

    @property
    def schedule(self) -> Iterator[tuple[str, PlanStep]]:
        """The plan's steps, each with its time span in words."""
        at = 0
        for step in self.steps:
            yield f"Minute {at} to {at + step.minutes}", step
            at += step.minutes


BOARD = ", ".join(number(entry, "g") for entry in WORKED_EXAMPLE[0])
"""The first example of the worked table, with which the figures start."""

PLANS = (
    Plan(
        "One idea, for the end of a lesson",
        "Students should already know what a layer of a network computes, and what a mean is. The "
        "idea: BatchNorm averages along a column of the batch, LayerNorm along a row.",
        (
            PlanStep(
                8,
                "Ask the question. Students answer alone, talk to a neighbor, and answer again. "
                "Show no counts until they have answered twice.",
                (AskQuestion("axes", "shared"),),
            ),
            PlanStep(
                3,
                "Have a student say which numbers the outline contains. Before you change the "
                "norm, ask which numbers it will contain afterward.",
                (
                    ShowFigure("a cell under LayerNorm", "axes?cell=3.2#figure-grid"),
                    ShowFigure(
                        "the same cell under BatchNorm", "axes?norm=batch&cell=3.2#figure-grid"
                    ),
                ),
            ),
            PlanStep(
                4,
                "What follows from this? Ask the next question in the same way.",
                (AskQuestion("axes", "smaller"),),
            ),
            PlanStep(
                3,
                "Drag the batch size back to 4 and down to 1 under each norm, and watch the first "
                "example.",
                (
                    ShowFigure(
                        "BatchNorm with three examples",
                        "axes?norm=batch&batch-size=3#figure-grid",
                        control="batch-size",
                    ),
                    ShowFigure(
                        "LayerNorm with three examples",
                        "axes?batch-size=3#figure-grid",
                        control="batch-size",
                    ),
                ),
            ),
            PlanStep(
                2,
                "Have everyone write down in one sentence how the other examples of a batch "
                "affect an output. Read two aloud.",
                prompt="Write one sentence on paper: how do the other examples of a batch affect "
                "an output?",
            ),
        ),
    ),
    Plan(
        "Which numbers share a mean",
        "Students should already know what a layer of a network computes, and what mean and "
        "variance are.",
        (
            PlanStep(
                6,
                "Start with the problem: in a deep network, activations shrink or grow from layer "
                "to layer. Ask the question, then drag the weight scale.",
                (
                    AskQuestion("why", "fifty"),
                    ShowFigure(
                        "two digits, fifty layers", "why#figure-depth", control="weight-scale"
                    ),
                ),
            ),
            PlanStep(
                12,
                "Ask the question first. Then step through the computation of one cell. "
                "Before each change of the norm, have the class say which numbers the outline "
                "will contain.",
                (
                    AskQuestion("axes", "shared"),
                    ShowFigure("the mean of an example", "axes?step=mean&cell=3.2#figure-grid"),
                    ShowFigure(
                        "the variance of an example", "axes?step=variance&cell=3.2#figure-grid"
                    ),
                    ShowFigure("a cell under LayerNorm", "axes?cell=3.2#figure-grid"),
                    ShowFigure(
                        "the same cell under BatchNorm", "axes?norm=batch&cell=3.2#figure-grid"
                    ),
                ),
            ),
            PlanStep(
                8,
                "Remove examples from the batch one by one. What does each norm return for the "
                "last one left?",
                (
                    ShowFigure(
                        "BatchNorm with two examples",
                        "axes?norm=batch&batch-size=2#figure-grid",
                        control="batch-size",
                    ),
                    ShowFigure(
                        "BatchNorm with one example",
                        "axes?norm=batch&batch-size=1#figure-grid",
                        control="batch-size",
                    ),
                    ShowFigure(
                        "LayerNorm with one example",
                        "axes?batch-size=1#figure-grid",
                        control="batch-size",
                    ),
                ),
            ),
            PlanStep(
                12,
                "From four examples to real batches. Drag the batch size from end to end: the "
                "image that we watch stays the same, but BatchNorm’s output for it changes. Then "
                "ask how many examples it takes to halve the error in the batch’s mean.",
                (
                    ShowFigure(
                        "one image in batches of 4",
                        "batch?batch-size=4#figure-noise",
                        control="batch-size",
                    ),
                    ShowFigure(
                        "the same image in batches of 256",
                        "batch?batch-size=256#figure-noise",
                        control="batch-size",
                    ),
                    AskQuestion("batch", "four"),
                    ShowFigure("batches of 64", "batch?examples-in-a-batch=64#figure-scatter"),
                ),
            ),
            PlanStep(
                8,
                "What a norm cannot see. Ask the question, then drag the example scale: which "
                "rows do not change?",
                (
                    AskQuestion("invariance", "batch"),
                    ShowFigure(
                        "the same example times 10",
                        "invariance?case-scale=10#figure-case-scale",
                        control="case-scale",
                    ),
                ),
            ),
            PlanStep(
                4,
                "Have everyone write down in one sentence what BatchNorm and LayerNorm have in "
                "common, and how they differ. Read two aloud.",
                prompt="Write one sentence on paper: what do BatchNorm and LayerNorm have in "
                "common, and how do they differ?",
            ),
        ),
    ),
    Plan(
        "All norms in one lecture",
        "Students should already know what a layer of a network computes, what mean and variance "
        "are, and, for the last part, what a Transformer block consists of. The lecture covers "
        "BatchNorm, LayerNorm, GroupNorm, RMSNorm, and where Transformers have norms, with one "
        "figure for each.",
        (
            PlanStep(
                6,
                "Start with the problem: in a deep network, activations shrink or grow from layer "
                "to layer. Ask the question, then drag the weight scale.",
                (
                    AskQuestion("why", "fifty"),
                    ShowFigure(
                        "two digits, fifty layers", "why#figure-depth", control="weight-scale"
                    ),
                ),
            ),
            PlanStep(
                11,
                "LayerNorm and BatchNorm do the same arithmetic along different axes. Ask the "
                "question first.",
                (
                    AskQuestion("axes", "shared"),
                    ShowFigure("a cell under LayerNorm", "axes?cell=3.2#figure-grid"),
                    ShowFigure(
                        "the same cell under BatchNorm", "axes?norm=batch&cell=3.2#figure-grid"
                    ),
                ),
            ),
            PlanStep(
                6,
                "BatchNorm depends on the rest of the batch. Drag the batch size down to 1.",
                (
                    ShowFigure(
                        "one image in batches of 4",
                        "batch?batch-size=4#figure-noise",
                        control="batch-size",
                    ),
                ),
            ),
            PlanStep(
                9,
                "GroupNorm: drag the number of groups from one end to the other, and ask which "
                "norm each end is. Then ask the question about a Transformer’s tokens.",
                (
                    ShowFigure(
                        "GroupNorm on images",
                        "images?norm=group&groups=2#figure-cube",
                        control="groups",
                    ),
                    AskQuestion("images", "tokens"),
                    ShowFigure(
                        "the Transformer’s layout", "images?layout=tokens&norm=place#figure-cube"
                    ),
                ),
            ),
            PlanStep(
                6,
                "RMSNorm does not subtract the mean. Drag the constant: what changes, and what "
                "does not?",
                (
                    ShowFigure(
                        "a row and a constant", "rmsnorm?offset=2#figure-offset", control="offset"
                    ),
                ),
            ),
            PlanStep(
                10,
                "Where should a Transformer have its norms, after the sum or before the sublayer? "
                "Show the gradient, then what the choice does to training.",
                (
                    ShowFigure(
                        "a norm after the sum, and before the sublayer",
                        "placement?direction=forward#figure-road",
                    ),
                    ShowFigure(
                        "the gradient in the first training steps", "placement#figure-first-steps"
                    ),
                    AskQuestion("placement", "warm"),
                    ShowFigure("runs with and without warm-up", "placement#figure-warmup"),
                ),
            ),
            PlanStep(
                2,
                "Have everyone write down which norm they would use for images, and which for "
                "text.",
                prompt="Write on paper: which norm would you use for images, and which for text?",
            ),
        ),
    ),
    Plan(
        "From the idea to a model that people use",
        "Students should already know what a layer of a network computes, and what mean and "
        "variance are. The lecture is a survey: which numbers share a mean, where the norm goes, "
        "whether the mean is needed, and what all this does in a real language model.",
        (
            PlanStep(
                6,
                "Start with the problem: in a deep network, activations shrink or grow from layer "
                "to layer. Ask the question, then drag the weight scale.",
                (
                    AskQuestion("why", "fifty"),
                    ShowFigure(
                        "two digits, fifty layers", "why#figure-depth", control="weight-scale"
                    ),
                ),
            ),
            PlanStep(
                12,
                "Ask the question, then show one cell under LayerNorm and under BatchNorm.",
                (
                    AskQuestion("axes", "shared"),
                    ShowFigure("a cell under LayerNorm", "axes?cell=3.2#figure-grid"),
                    ShowFigure(
                        "the same cell under BatchNorm", "axes?norm=batch&cell=3.2#figure-grid"
                    ),
                ),
            ),
            PlanStep(
                12,
                "Where should the norm go, after the sum or before the sublayer? Show the blocks "
                "first, then how they train.",
                (
                    ShowFigure(
                        "a norm after the sum, and before the sublayer",
                        "placement?direction=forward#figure-road",
                    ),
                    AskQuestion("placement", "early"),
                    ShowFigure(
                        "the gradient in the first training steps", "placement#figure-first-steps"
                    ),
                    ShowFigure("runs with and without warm-up", "placement#figure-warmup"),
                ),
            ),
            PlanStep(
                9,
                "RMSNorm does not subtract the mean. Drag the constant, then ask whether networks "
                "need to.",
                (
                    ShowFigure(
                        "a row and a constant", "rmsnorm?offset=2#figure-offset", control="offset"
                    ),
                    AskQuestion("rmsnorm", "redundant"),
                    ShowFigure("language models with RMSNorm instead", "rmsnorm#figure-centering"),
                ),
            ),
            PlanStep(
                9,
                "A model that people use: have the class guess how much its residual stream "
                "grows, then remove its final norm.",
                (
                    AskQuestion("inside", "growth"),
                    ShowFigure("the stream, norm by norm", "inside#figure-stream"),
                    ShowFigure(
                        "the next word, with the final norm and without", "inside#figure-final"
                    ),
                ),
            ),
            PlanStep(
                2,
                "Have everyone write down in one sentence what a norm does for a deep network. "
                "Read two aloud.",
                prompt="Write one sentence on paper: what does a norm do for a deep network?",
            ),
        ),
    ),
    Plan(
        "Norms in a Transformer",
        "Students should already know attention, feed-forward layers and residual connections, "
        "and what the plan *Which numbers share a mean* covers.",
        (
            PlanStep(
                6,
                "Where can a norm go? Let the class draw a block, then compare.",
                (
                    ShowFigure(
                        "a norm after the sum, and before the sublayer",
                        "placement?direction=forward#figure-road",
                    ),
                    ShowFigure("six blocks side by side", "placement?diagram=all#figure-blocks"),
                ),
            ),
            PlanStep(
                12,
                "Go through Pre-LN and Post-LN step by step. At the step *out of the block*, drag "
                "*block*.",
                (
                    AskQuestion("placement", "same-length"),
                    ShowFigure(
                        "Pre-LN", "placement?diagram=pre&step=12#figure-blocks", control="block"
                    ),
                    ShowFigure(
                        "Post-LN", "placement?diagram=post&step=12#figure-blocks", control="block"
                    ),
                ),
            ),
            PlanStep(
                8,
                "Before training: show the gradient on its way back through the layers, and by "
                "depth.",
                (
                    ShowFigure(
                        "the gradient through 48 layers",
                        "placement?direction=backward&road-layers=48#figure-road",
                    ),
                    AskQuestion("placement", "deeper"),
                    ShowFigure("twelve layers", "placement?layers=12#figure-depth"),
                    ShowFigure("forty-eight layers", "placement?layers=48#figure-depth"),
                ),
            ),
            PlanStep(
                10,
                "In training: what do the first steps do to the gradient, and what is warm-up good "
                "for? Hover over or tap a cell of the table.",
                (
                    AskQuestion("placement", "early"),
                    ShowFigure(
                        "the gradient in the first training steps", "placement#figure-first-steps"
                    ),
                    AskQuestion("placement", "warm"),
                    ShowFigure("runs with and without warm-up", "placement#figure-warmup"),
                ),
            ),
            PlanStep(
                10,
                "Which norm should it be: is the mean needed?",
                (
                    AskQuestion("rmsnorm", "constant"),
                    ShowFigure(
                        "a row and a constant", "rmsnorm?offset=2#figure-offset", control="offset"
                    ),
                    AskQuestion("rmsnorm", "redundant"),
                ),
            ),
            PlanStep(
                4,
                "Look up models that the class uses: which norms do they have, and where?",
                (ShowFigure("published models", "placement#figure-count"),),
            ),
        ),
    ),
    Plan(
        "Layer normalization, from the arithmetic to recurrent networks",
        "Students should already know what a layer of a network computes, and what mean and "
        "variance are. For the last half hour, they also need matrices.",
        (
            PlanStep(
                8,
                "Why do networks have norms? Ask the question, drag the weight scale, then see "
                "which networks learn.",
                (
                    AskQuestion("why", "fifty"),
                    ShowFigure(
                        "two digits, fifty layers", "why#figure-depth", control="weight-scale"
                    ),
                    ShowFigure("which networks learn", "why#figure-learning"),
                ),
            ),
            PlanStep(
                15,
                f"Ask the question, then write an example on the board: {BOARD}. On paper, "
                "students compute its mean, its variance and its first output, without gain and "
                "bias. Only then open the figure, which shows these numbers.",
                (
                    AskQuestion("axes", "shared"),
                    ShowFigure("the mean", "axes?step=mean&cell=1.1#figure-grid"),
                    ShowFigure("the first output", "axes?step=standardize&cell=1.1#figure-grid"),
                ),
            ),
            PlanStep(
                10,
                "Gain and bias: what does a network learn after the norm?",
                (
                    AskQuestion("gain-bias", "zero"),
                    ShowFigure("a gain of 0", "gain-bias?gain=0#figure-line", control="gain"),
                    ShowFigure("ReLU after it", "gain-bias?gain=1&nonlinearity=relu#figure-line"),
                ),
            ),
            PlanStep(
                15,
                "What the rest of the batch does to an output: show the noise in training, then "
                "the running averages.",
                (
                    ShowFigure(
                        "one image in batches of 4",
                        "batch?batch-size=4#figure-noise",
                        control="batch-size",
                    ),
                    AskQuestion("batch", "momentum"),
                    ShowFigure("running averages, batch by batch", "batch?batch=1#figure-running"),
                    ShowFigure("a shifted test set", "batch?batch=40&shift=1#figure-running"),
                ),
            ),
            PlanStep(
                5,
                "Pause.",
                prompt="Pause",
            ),
            PlanStep(
                14,
                "What each norm cannot see. In pairs, students each take a row of the table, "
                "explain it to their partner, and select an entry to see it at work.",
                (
                    AskQuestion("invariance", "batch"),
                    ShowFigure("the table", "invariance?entry=1.6#figure-table"),
                    ShowFigure("LayerNorm’s row", "invariance?entry=3.4#figure-table"),
                ),
            ),
            PlanStep(
                18,
                "In a recurrent network, the same matrix acts at every step, on the state and on "
                "the gradient.",
                (
                    AskQuestion("recurrence", "hundred"),
                    ShowFigure("a factor of 1.1", "recurrence?per-step-factor=1.1#figure-factor"),
                    AskQuestion("recurrence", "level"),
                    ShowFigure(
                        "a level state, and its gradient, with a large input",
                        "recurrence?input-size=1#figure-level",
                    ),
                ),
            ),
            PlanStep(
                5,
                "Have everyone find what is wrong with a misconception. The list for teachers has "
                "the answer, and more misconceptions.",
                prompt="What is wrong with this? “Multiply an input by any factor, and LayerNorm’s "
                "output stays the same.”",
            ),
        ),
    ),
    Plan(
        "Norms in Transformers, measured",
        "Students should already know how a Transformer is built and trained, and what the plan "
        "*Which numbers share a mean* covers.",
        (
            PlanStep(
                8,
                "A norm for tokens: which numbers share a mean?",
                (
                    AskQuestion("images", "tokens"),
                    ShowFigure(
                        "the Transformer’s layout", "images?layout=tokens&norm=place#figure-cube"
                    ),
                ),
            ),
            PlanStep(
                14,
                "Where should the norm go? Each group takes a placement and reports in a sentence.",
                (
                    ShowFigure("all placements", "placement?diagram=all#figure-blocks"),
                    AskQuestion("placement", "same-length"),
                ),
            ),
            PlanStep(
                14,
                "Gradients and the stream before training.",
                (
                    AskQuestion("placement", "deeper"),
                    ShowFigure("the last layer", "placement?layers=48#figure-depth"),
                    AskQuestion("placement", "where"),
                    ShowFigure("layer by layer", "placement#figure-layers"),
                    ShowFigure("the stream", "placement?stream-layers=48#figure-residual"),
                ),
            ),
            PlanStep(
                12,
                "Training: what was measured, and what is a hypothesis?",
                (
                    ShowFigure(
                        "the gradient in the first training steps", "placement#figure-first-steps"
                    ),
                    AskQuestion("placement", "warm"),
                    ShowFigure("the runs", "placement#figure-warmup"),
                ),
            ),
            PlanStep(
                5,
                "Pause.",
                prompt="Pause",
            ),
            PlanStep(
                17,
                "RMSNorm: what does it leave out, and do networks need that?",
                (
                    AskQuestion("rmsnorm", "shape"),
                    ShowFigure("a circle and a sphere", "rmsnorm#figure-sphere"),
                    AskQuestion("rmsnorm", "redundant"),
                    ShowFigure(
                        "language models as they train", "rmsnorm?batches=0#figure-centering"
                    ),
                ),
            ),
            PlanStep(
                10,
                "What a norm costs: have the class guess what fraction of a block’s time it takes.",
                (
                    ShowFigure("fractions of the time", "cost#figure-block-share"),
                    ShowFigure("bytes", "cost?norm=rms#figure-traffic"),
                ),
            ),
            PlanStep(
                10,
                "Can a network do without a norm? Compare a norm with a replacement as the input "
                "grows.",
                (
                    AskQuestion("successors", "double"),
                    ShowFigure("an input twice as large", "successors?input-scale=2#figure-curves"),
                    ShowFigure("what came when", "successors#figure-timeline"),
                ),
            ),
        ),
    ),
)


def plans_markdown() -> str:
    """Return all lesson plans as Markdown."""
    return "\n\n".join(map(_plan, PLANS))


def _plan(plan: Plan) -> str:
    numbered = "\n".join(
        f"{place}. **{when}.** {step.instruction}{_activities(step)}"
        for place, (when, step) in enumerate(plan.schedule, 1)
    )
    there = f"present/plans/{plan.slug}"
    # A link's text is unique, for screen readers that list links.
    ways = (
        f"[Present “{plan.title}”]({there}) · [in a room for phones: “{plan.title}”]"
        f"({there}?room=new) · [“{plan.title}” as Markdown]({there}.md)"
    )
    return (
        f"### {plan.title}: {plan.minutes} minutes\n\n{plan.prerequisites}\n\n{ways}\n\n{numbered}"
    )


def _activities(step: PlanStep) -> str:
    """Return the activities of a lesson plan's step as lines of a Markdown list."""
    lines = [
        f"   - {'Ask' if isinstance(part, AskQuestion) else 'Show'} {part}."
        for part in step.activities
    ]
    return "".join(f"\n{line}" for line in lines)
