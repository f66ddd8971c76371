"""Long texts in a short form, for what objects print of themselves."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Sequence, Tuple

MOST = 60  # characters of a text that are shown


def shortened(text: str, most: int = MOST) -> str:
    """A text; a long one is cut in the middle."""
    return text if len(text) <= most else f"{text[:most * 2 // 3]}…{text[-(most - most * 2 // 3 - 1):]}"


def counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def around(letters: Sequence[str], position: int, joint: str, most: int = MOST) -> Tuple[str, str, str]:
    """What stands before a position, which counts from 1, the letter there, and what stands behind it; cut at both ends."""
    before, after = joint.join(letters[:position - 1]), joint.join(letters[position:])
    half = most // 2
    return ("…" + before[-half:] if len(before) > half + 1 else before, letters[position - 1],
            after[:half] + "…" if len(after) > half + 1 else after)


def value_shown(value: Any) -> str:
    """What repr says, with long texts cut, and long sequences left at their first members."""
    if isinstance(value, str):
        return repr(shortened(value, 100))
    if isinstance(value, (list, tuple)) and len(value) > 12:
        inside = ", ".join(map(value_shown, value[:6]))
        return f"[{inside}, … {len(value)} in all]"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_shown, value)) + "]"
    return repr(value)


def fields_shown(thing: Any) -> str:
    """A dataclass by its fields."""
    fields: List[str] = [f"{field.name}={value_shown(getattr(thing, field.name))}" for field in dataclasses.fields(thing)]
    return f"{type(thing).__name__}({', '.join(fields)})"
