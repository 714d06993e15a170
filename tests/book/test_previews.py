"""Small pictures of what is closed: light to fetch, and none that no page shows."""

import pytest
from PIL import Image

from lnviz.book import PAGES
from lnviz.book.previews import THUMBNAIL_SIZE, image_path, thumbnails
from lnviz.lessons import Lesson

MOST = 6000
"""Bytes."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_every_picture_in_a_folder_is_shown(page: Lesson) -> None:
    assert set(page.folder.glob("*.png")) <= {image_path(page), *thumbnails(page).values()}


def test_small_pictures_are_small() -> None:
    files = [file for page in PAGES for file in thumbnails(page).values()]
    assert files
    for file in files:
        assert file.stat().st_size <= MOST
        with Image.open(file) as picture:
            assert all(
                side <= most for side, most in zip(picture.size, THUMBNAIL_SIZE, strict=True)
            )
