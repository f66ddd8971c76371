"""Subscripts and superscripts of our pages' plain mathematics, as HTML: e^{−κd_j}, 2^(g+p), s_ij, Σ_{j∉T}, 2^53. Code is left alone.
MkDocs calls it for the site (hooks), scripts/theory.py for the PDF."""
import re

# A base is one letter, perhaps with a star or prime; what is below it has braces, or is one letter, or two small ones or digits.
BELOW = re.compile(r"(?<![A-Za-z_\\])([A-Za-zΑ-ωΣ][*′']?)_(?:\{([^{}]*)\}|([a-z0-9]{1,2}|[A-ZΑ-ω])(?![A-Za-z0-9_]))")
ABOVE = re.compile(r"\^(?:\{([^{}]*)\}|\(((?:[^()]|\([^()]*\))*)\)|([±−-]?(?:[0-9]+|[a-zA-ZΑ-ω]))(?![A-Za-z0-9_^]))")
# Tags, and what stands between those of code.
APART = re.compile(r"(<(code|pre|script|style)\b.*?</\2>|<[^>]*>)", re.DOTALL)


def scripts(text):
    """Inner braces first, as in 2^{k_{K−1}}."""
    before = None
    while text != before:
        before = text
        text = BELOW.sub(lambda m: f"{m[1]}<sub>{m[2] or m[3]}</sub>", text)
        text = ABOVE.sub(lambda m: f"<sup>{m[1] or m[2] or m[3]}</sup>", text)
    return text


def with_scripts(html):
    """A page of HTML."""
    parts = APART.split(html)  # text, tag or code, name of the tag or None, text, ...
    return "".join(scripts(part) if k % 3 == 0 else part if k % 3 == 1 else "" for k, part in enumerate(parts))


def on_page_content(html, page, config, files):
    """MkDocs' hook."""
    return with_scripts(html)
