"""Images: where a norm has places to share over, and where BatchNorm is the better deal."""

from lnviz.lessons.images import cube
from lnviz.lessons.lesson import Lesson

LESSON = Lesson(
    slug="images",
    title="Images",
    section="The idea",
    moves="the block of images, channels and places, turned, and its groups under each norm",
    figures=(cube.FIGURE,),
)
