"""What scripts and style sheets ask of a browser, and which versions have it.

The versions are those of MDN's browser-compat-data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NEVER = 999.0
BROWSERS = ("Safari", "Firefox", "Chrome")
_COMMENT = re.compile(r"/\*.*?\*/|(?:^|(?<=\s))//[^\n]*", re.DOTALL)


@dataclass(frozen=True)
class Feature:
    """A feature of browsers that not all of them have had for long.

    Attributes:
        written: Regular expression of its uses.
        since: The first versions of `BROWSERS` that have it.
        guarded: Regular expression of the uses that also work in browsers without it; in a style
            sheet, of a file that has a rule for them.
        harmless: How a page differs without it, if that is no loss.
    """

    written: str
    since: tuple[float, float, float]
    guarded: str = ""
    harmless: str = ""

    def unguarded(self, text: str) -> list[str]:
        """Return the uses in a file that need a browser with the feature."""
        code = _COMMENT.sub("", text)
        if self.harmless or (self.guarded and re.search(self.guarded, code)):
            return []
        return [match[0] for match in re.finditer(self.written, code)]


SCRIPT = {
    "AbortSignal.any": Feature(r"AbortSignal\.any\b", (17.4, 124, 116)),
    "AbortSignal.timeout": Feature(r"AbortSignal\.timeout\b", (16, 100, 124)),
    "Array.fromAsync": Feature(r"\bArray\.fromAsync\b", (16.4, 115, 121)),
    "Blob.bytes": Feature(r"\.bytes\(\)", (18, 128, 144)),
    "CSS.highlights": Feature(r"CSS\.highlights|new Highlight\(", (17.2, 140, 105)),
    "DecompressionStream": Feature(r"\bDecompressionStream\b", (16.4, 113, 80)),
    "Element.checkVisibility": Feature(
        r"\.checkVisibility\b", (17.4, 106, 105), guarded=r"\.checkVisibility\?\.\("
    ),
    "Element.moveBefore": Feature(r"\.moveBefore\b", (NEVER, 144, 133)),
    "Element.setHTML": Feature(r"\.setHTML\b|\.getHTML\b", (NEVER, 148, 146)),
    "Math.f16round": Feature(r"Math\.f16round|Float16Array", (18.2, 129, 135)),
    "Object.groupBy": Feature(r"\b(?:Object|Map)\.groupBy\b", (17.4, 119, 117)),
    "Promise.try": Feature(r"Promise\.try\b", (18.2, 134, 128)),
    "Promise.withResolvers": Feature(r"\.withResolvers\b", (17.4, 121, 119)),
    "RegExp.escape": Feature(r"RegExp\.escape\b", (18.2, 134, 136)),
    "Set.union": Feature(
        r"\.(?:union|intersection|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(",
        (17, 127, 122),
    ),
    "URL.canParse": Feature(r"\bURL\.canParse\b", (17, 115, 120)),
    "URL.parse": Feature(r"\bURL\.parse\b", (18, 126, 126)),
    "Uint8Array.fromBase64": Feature(r"\.(?:from|to)(?:Base64|Hex)\b", (18.2, 133, 140)),
    "array methods that copy": Feature(r"\.(?:toSorted|toReversed|toSpliced)\(", (16, 115, 110)),
    "attributes of an import": Feature(r"\bwith \{ ?type:", (17.2, 138, 123)),
    "caretPositionFromPoint": Feature(r"\.caretPositionFromPoint\b", (26.2, 20, 128)),
    "class blocks": Feature(r"\bstatic \{", (16.4, 93, 94)),
    "dialog.closedBy": Feature(r"\.closedBy\b|\bclosedby=", (NEVER, 141, 134)),
    "lookbehind": Feature(r"\(\?<[=!]", (16.4, 78, 62)),
    "navigation": Feature(r"\bnavigation\.(?:navigate|addEventListener|entries)", (26.2, 147, 102)),
    "popovers": Feature(
        r"\.popover\b|\.(?:show|hide|toggle)Popover\b|:popover-open",
        (17, 125, 114),
        guarded=r'"popover" in HTMLElement\.prototype',
    ),
    "requestIdleCallback": Feature(r"\brequestIdleCallback\b", (NEVER, 55, 47)),
    "scrollend": Feature(r'"scrollend"', (26.2, 109, 114), guarded=r'!\("onscrollend" in window\)'),
    "startViewTransition": Feature(r"\.startViewTransition\b", (18, 144, 111)),
    "streams in a loop": Feature(r"for await", (27, 110, 124)),
    "the flag v": Feature(
        r"""/[a-z]*v[a-z]*(?=\.(?:test|exec)\()|RegExp\(.*"[dgimsy]*v"\)""", (17, 116, 112)
    ),
    "using": Feature(r"\b(?:await )?using \w+ =", (NEVER, 141, 134)),
    "well-formed strings": Feature(r"\.(?:isWellFormed|toWellFormed)\b", (16.4, 119, 111)),
}
"""Features of scripts. TypeScript refuses built-ins of the language after its `lib`, too."""

STYLE = {
    "nested rules": Feature(r"(?:^|\s)&", (16.5, 117, 112)),
    "nested rules that begin with a tag": Feature(r"(?!)", (17.2, 117, 120)),  # see the test
    ":has": Feature(r":has\(", (15.4, 121, 105)),
    ":open": Feature(r":open\b", (26.5, 136, 133)),
    ":popover-open": Feature(
        r":popover-open", (17, 125, 114), guarded=r"@supports not selector\(:popover-open\)"
    ),
    ":state": Feature(r":state\(", (17.4, 126, 125)),
    "::details-content": Feature(r"::details-content", (18.4, 143, 131)),
    "::highlight": Feature(r"::highlight", (17.2, 140, 105)),
    ":user-invalid": Feature(r":user-(?:in)?valid", (16.5, 88, 119)),
    "@container": Feature(r"@container", (16, 110, 105)),
    "@container style()": Feature(r"@container[^{]*style\(", (18, 151, 111)),
    "@property": Feature(r"@property", (16.4, 128, 85)),
    "@scope": Feature(r"@scope", (26.4, 146, 118)),
    "@starting-style": Feature(r"@starting-style", (17.5, 129, 117)),
    "@view-transition": Feature(r"@view-transition|view-transition-name", (18.2, NEVER, 126)),
    "accent-color": Feature(
        r"accent-color:", (26.2, 92, 93), harmless="a control has the system's color"
    ),
    "anchors": Feature(r"anchor-name|position-anchor|anchor\(", (27, 151, 151)),
    "animation-timeline": Feature(
        r"animation-timeline:", (26, 159, 115), harmless="no fading edge says that a table scrolls"
    ),
    "backdrop-filter": Feature(r"(?<!-)backdrop-filter", (18, 103, 76)),
    "calc-size": Feature(r"calc-size\(|interpolate-size", (NEVER, NEVER, 129)),
    "color-mix": Feature(r"color-mix\(", (16.2, 113, 111)),
    "content-visibility": Feature(r"content-visibility", (18, 125, 85)),
    "field-sizing": Feature(r"field-sizing", (26.2, 152, 123)),
    "forced-color-adjust": Feature(
        r"forced-color-adjust", (NEVER, 113, 89), harmless="Safari has no forced colors"
    ),
    "if": Feature(r":\s*if\(", (NEVER, NEVER, 137)),
    "lh": Feature(r"\d(?:lh|rlh)\b", (16.4, 120, 109)),
    "light-dark": Feature(
        r"light-dark\(", (17.5, 120, 123), guarded=r"@supports not \(color: light-dark\("
    ),
    "mask": Feature(
        r"(?<!-)mask(?:-size)?:", (15.4, 53, 120), harmless="no fading edge says that it scrolls"
    ),
    "print-color-adjust": Feature(
        r"(?<!-)print-color-adjust", (15.4, 97, 136), guarded="-webkit-print-color-adjust"
    ),
    "progress": Feature(r"\bprogress\(", (26, 155, 138)),
    "relative colors": Feature(r"\((?:from) var\(", (18, 128, 122)),
    "round": Feature(r"[\s(:]round\(", (15.4, 118, 125)),
    "safe": Feature(
        r"\bsafe center", (17.6, 63, 115), harmless="a short slide begins at the top of the window"
    ),
    "scrollbar-gutter": Feature(
        r"scrollbar-gutter", (18.2, 97, 94), harmless="the text moves as the scroll bar comes"
    ),
    "scrollbar-width": Feature(
        r"scrollbar-(?:width|color)", (18.2, 64, 121), harmless="a scroll bar is seen"
    ),
    "sideways-lr": Feature(
        r"sideways-(?:lr|rl)", (18.4, 43, 132), guarded=r"writing-mode: vertical-rl;"
    ),
    "subgrid": Feature(r"subgrid", (16, 71, 117)),
    "text-box": Feature(r"text-box", (18.2, 154, 133)),
    "text-wrap": Feature(
        r"text-wrap:", (17.5, 121, 130), harmless="the lines of a heading differ in length"
    ),
    "transition-behavior": Feature(r"transition-behavior|allow-discrete", (17.4, NEVER, 117)),
    "zoom": Feature(
        r"(?:^|\s)zoom:", (3.1, 126, 1), harmless="text has its size of the screen on paper"
    ),
}
"""Features of style sheets."""
