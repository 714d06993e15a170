"""Something that this book cites, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.interpolation import listed


@dataclass(frozen=True)
class Source:
    """Something that is cited.

    Attributes:
        key: its short name, for BibTeX.
        written_by: its authors with first names, in the printed order; a team is one author.
        year: the year that the texts give.
        title: its full title.
        where: journal, conference or publisher, "" if there is none besides arXiv.
        arxiv: its number on arXiv, "" if it is not there.
        url: where it can be read, "" where the number says so.
        more: whether there are further authors.
        kind: the kind of its entry in BibTeX.
    """

    key: str
    written_by: str
    year: int
    title: str
    where: str = ""
    arxiv: str = ""
    url: str = ""
    more: bool = False
    kind: str = "inproceedings"

    @property
    def authors(self) -> tuple[str, ...]:
        """The authors, one by one."""
        return tuple(self.written_by.split(", "))

    @property
    def families(self) -> tuple[str, ...]:
        """The authors as texts name them.

        >>> Source("laarhoven", "Twan van Laarhoven", 2017, "Title").families
        ('van Laarhoven',)
        """
        return tuple(_family(author) for author in self.authors)

    @property
    def link(self) -> str:
        """Where it can be read, or "" where we know no such place."""
        return self.url or (f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else "")

    @property
    def named(self) -> str:
        """The authors in a row.

        >>> Source("he", "Kaiming He, Jian Sun", 2015, "Title", more=True).named
        'Kaiming He, Jian Sun and others'
        """
        return listed([*self.authors, *(["others"] if self.more else [])])

    @property
    def bibtex(self) -> str:
        """The source as an entry for BibTeX.

        >>> print(Source("ba", "Jimmy Ba", 2016, "Layer", arxiv="1.2", kind="misc").bibtex)
        @misc{ba,
          author = {Ba, Jimmy},
          title = {{Layer}},
          year = {2016},
          eprint = {1.2},
          archivePrefix = {arXiv},
          url = {https://arxiv.org/abs/1.2},
        }
        """
        places = {"inproceedings": "booktitle", "article": "journal", "book": "publisher"}
        fields = {
            "author": " and ".join([*map(_turned, self.authors), *(["others"] * self.more)]),
            "title": f"{{{self.title}}}",  # braces keep its capitals
            "year": str(self.year),
            places.get(self.kind, "howpublished"): self.where,
            "eprint": self.arxiv,
            "archivePrefix": "arXiv" if self.arxiv else "",
            "url": self.link,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


TEAMS = ("Gemma Team", "OLMo")
PARTICLES = ("van",)


def _family(author: str) -> str:
    words = author.split()
    if author in TEAMS:
        return author
    return " ".join(words[-2:]) if words[-2:-1] and words[-2] in PARTICLES else words[-1]


def _turned(author: str) -> str:
    """The family name first, as BibTeX reads it."""
    family = _family(author)
    if author in TEAMS:
        return f"{{{author}}}"
    return f"{family}, {author.removesuffix(family).strip()}"
