"""A publication in the bibliography, and its formatting for texts and BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.interpolation import join_words


@dataclass(frozen=True)
class Publication:
    """A publication in the book's bibliography.

    Attributes:
        key: Its BibTeX key.
        author_names: Comma-separated full names, in the printed order; a team is one author.
        year: The year of publication, as used in citations.
        title: Its full title.
        venue: Journal, conference or publisher; "" if there is none besides arXiv.
        arxiv: Its arXiv identifier, or "".
        url: Its URL, or "" if it follows from the arXiv identifier.
        has_more_authors: Whether there are authors beyond those listed.
        entry_type: The type of its BibTeX entry.
    """

    key: str
    author_names: str
    year: int
    title: str
    venue: str = ""
    arxiv: str = ""
    url: str = ""
    has_more_authors: bool = False
    entry_type: str = "inproceedings"

    @property
    def authors(self) -> tuple[str, ...]:
        """The authors listed in the bibliography entry."""
        return tuple(self.author_names.split(", "))

    @property
    def family_names(self) -> tuple[str, ...]:
        """The authors' family names, which citations in texts use.

        >>> Publication("laarhoven", "Twan van Laarhoven", 2017, "Title").family_names
        ('van Laarhoven',)
        """
        return tuple(_family_name(author) for author in self.authors)

    @property
    def address(self) -> str:
        """The URL of the publication, or "" if none is known."""
        return self.url or (f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else "")

    @property
    def author_list(self) -> str:
        """The authors as a phrase, as in a reference list.

        >>> he = Publication("he", "Kaiming He, Jian Sun", 2015, "Title", has_more_authors=True)
        >>> he.author_list
        'Kaiming He, Jian Sun and others'
        """
        return join_words([*self.authors, *(["others"] if self.has_more_authors else [])])

    @property
    def bibtex(self) -> str:
        """The publication's BibTeX entry.

        >>> ba = Publication("ba", "Jimmy Ba", 2016, "Layer", arxiv="1.2", entry_type="misc")
        >>> print(ba.bibtex)
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
            "author": " and ".join(
                [*map(_family_name_first, self.authors), *(["others"] * self.has_more_authors)]
            ),
            "title": f"{{{self.title}}}",  # braces keep capital letters
            "year": str(self.year),
            places.get(self.entry_type, "howpublished"): self.venue,
            "eprint": self.arxiv,
            "archivePrefix": "arXiv" if self.arxiv else "",
            "url": self.address,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.entry_type}{{{self.key},", *lines, "}"])


TEAMS = ("Gemma Team", "OLMo")
PARTICLES = ("van",)


def _family_name(author: str) -> str:
    words = author.split()
    if author in TEAMS:
        return author
    return " ".join(words[-2:]) if words[-2:-1] and words[-2] in PARTICLES else words[-1]


def _family_name_first(author: str) -> str:
    """Return an author's name with the family name first, as BibTeX expects."""
    family = _family_name(author)
    if author in TEAMS:
        return f"{{{author}}}"
    return f"{family}, {author.removesuffix(family).strip()}"
