"""Find clips by what they are: ``walk, turning left, 1.2 m/s``, a small grammar over what an index measured.

A text is a list of conditions, separated by commas or "and"; all must hold. Each may begin with "not" or "no".

====================================  =====================================================================
walk, run                             it does so for at least 30% of the time
still                                 it stands still for at least half of the time
low (sit, crouch, kneel, lie)         its hips are low for at least 30% of the time
jump, kick                            at least once
turn, turn left, turn right           it turns by at least 35 degrees; ``turn left 90 deg``: by about so much
straight                              it turns by less
backwards, sideways                   at least half of its travel goes there
1.2 m/s, over 5 km/h                  how fast it travels
3 s, under 2 s, 2 to 4 s, over 1 min  how long the clip is
1.8 m tall, under 150 cm tall         how tall the character is
slide under 10 mm                     how far feet slide in a contact, on average
====================================  =====================================================================

Numbers take "over", "under", "about" (as without a word: within 15%), or a range "1 to 1.5 m/s".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kinetune.errors import ParameterError, UnknownNameError
from kinetune.library.clip_facts import LEAST_SHARE, LEAST_TURN_DEG, ClipFacts
from kinetune.library.index_file import IndexedClip, MotionIndex

_ABOUT = 0.15
_ABOUT_TURN = 0.25
_STILL = 0.5
_OTHER_WAY = 0.5

Penalty = float | None
"""How far a clip is from what was asked, as a share; None where the condition does not hold."""


@dataclass(frozen=True)
class Condition:
    """One condition of a text.

    text : as it was written.
    test : what it says of a clip.
    """

    text: str
    test: Callable[[ClipFacts], Penalty]


def find_text(index: MotionIndex, text: str, *, count: int | None = None) -> list[IndexedClip]:
    """Find the clips of a library that fit a description, such as "walk, turning left, 1.2 m/s".

    Parameters
    ----------
    index : MotionIndex
        The library.
    text : str
        Conditions that all must hold; see :mod:`kinetune.library.text_query`.
    count : int, optional
        How many to give at most.

    Returns
    -------
    list of IndexedClip
        Those first that are nearest to the numbers asked for, then by name.

    Examples
    --------
    >>> [clip.name for clip in find_text(index, "run, over 2 m/s")]  # doctest: +SKIP
    ['run.bvh']
    """
    conditions = parse_text(text)
    fitting = []
    for clip in index.clips:
        assert clip.facts is not None
        penalties = [condition.test(clip.facts) for condition in conditions]
        if None not in penalties:
            fitting.append((sum(p for p in penalties if p is not None), clip.name, clip))
    return [clip for *_, clip in sorted(fitting, key=lambda each: each[:2])][:count]


def parse_text(text: str) -> list[Condition]:
    """The conditions of a text; a word that is not known gets a message with the nearest ones that are."""
    parts = [part.strip() for part in re.split(r"[,;]|\band\b", text.casefold())]
    conditions = [_condition(part) for part in parts if part]
    if not conditions:
        raise ParameterError('The text is empty. Say what to look for, such as "walk, turning left, 1.2 m/s".')
    return conditions


def _condition(part: str) -> Condition:
    words = [word for word in part.split() if word not in _FILLERS]
    negated = bool(words) and words[0] in _NOT
    if negated:
        words = words[1:]
    if not words:
        raise ParameterError(f'"{part}" says nothing to look for. {_HELP}')
    test = _quantity(words, part) if any(_NUMBER.match(word) for word in words) else _plain(words)
    return Condition(part, _inverted(test) if negated else test)


def _inverted(test: Callable[[ClipFacts], Penalty]) -> Callable[[ClipFacts], Penalty]:
    return lambda facts: 0.0 if test(facts) is None else None


def _plain(words: list[str]) -> Callable[[ClipFacts], Penalty]:
    """A condition without a number: each word must hold."""
    tests = []
    sides = [word for word in words if word in _SIDES]
    for word in words:
        if word in _SIDES:
            continue
        if word not in _KNOWN:
            raise _unknown(word)
        meaning = _MEANINGS.get(word)
        if meaning != "turn" and meaning not in _PLAIN:
            raise ParameterError(f'"{" ".join(words)}" is not understood: "{word}" goes with a number. {_HELP}')
        tests.append(_turn_test(sides) if meaning == "turn" else _PLAIN[meaning])
    if sides and "turn" not in [_MEANINGS.get(word) for word in words]:
        raise ParameterError(f'"{" ".join(words)}": say what goes to the {sides[0]}, such as "turning {sides[0]}".')

    def test(facts: ClipFacts) -> Penalty:
        return 0.0 if all(each(facts) for each in tests) else None

    return test


def _turn_test(sides: list[str]) -> Callable[[ClipFacts], bool]:
    either = sides or ["left", "right"]
    return lambda facts: any(getattr(facts, f"turn_{side}_deg") >= LEAST_TURN_DEG for side in either)


def _quantity(words: list[str], part: str) -> Callable[[ClipFacts], Penalty]:
    """A condition with a number and its unit."""
    match = _QUANTITY.fullmatch(" ".join(words))
    if match is None:
        unknown = [word for word in words if not _NUMBER.match(word) and word not in _KNOWN]
        if unknown:
            raise _unknown(unknown[0])
        raise ParameterError(f'"{part}" is not understood. {_HELP}')
    before, compare, first, second, unit, after = match.groups()
    words = (before or "").split() + (after or "").split()
    gaits = [word for word in words if _MEANINGS.get(word) in _PLAIN]  # "walking at 1.2 m/s"
    also = _plain(gaits)
    value = _value_of(unit, [word for word in words if word not in gaits], part)
    low, high = float(first) * value.factor, float(second or first) * value.factor
    if high < low:
        raise ParameterError(f'"{part}" goes down: a range begins with the smaller number.')

    def test(facts: ClipFacts) -> Penalty:
        measured = value.of(facts)
        if measured is None or also(facts) is None:
            return None
        if compare in _OVER:
            return 0.0 if measured >= low else None
        if compare in _UNDER:
            return 0.0 if measured <= high else None
        if second is not None:
            return 0.0 if low <= measured <= high else None
        off = abs(measured - low) / max(abs(low), 1e-9)
        return off if off <= value.about else None

    return test


@dataclass(frozen=True)
class _Value:
    """What a number with a unit is compared with: in units of ``factor``, alike when not more than ``about`` off."""

    of: Callable[[ClipFacts], float | None]
    factor: float
    about: float = _ABOUT


def _value_of(unit: str, words: list[str], part: str) -> _Value:
    meanings = [_MEANINGS.get(word, word) for word in words]
    others = [word for word, meaning in zip(words, meanings, strict=True) if meaning not in _NAMED_VALUES]
    named = next((meaning for meaning in meanings if meaning in ("turn", "slide")), None)
    if others and not (named == "turn" and set(others) <= set(_SIDES)):
        raise ParameterError(f'"{part}" mixes a number with "{others[0]}". Separate the conditions by commas.')
    if unit in _SPEEDS:
        return _Value(lambda facts: facts.speed_m_s, _SPEEDS[unit])
    if unit in _TIMES:
        return _Value(lambda facts: facts.duration_s, _TIMES[unit])
    if unit in _ANGLES:
        sides = others or ["left", "right"]
        return _Value(lambda facts: max(getattr(facts, f"turn_{side}_deg") for side in sides), 1.0, _ABOUT_TURN)
    if named == "slide":
        return _Value(lambda facts: facts.foot_slide_mm, 1e3 * _LENGTHS[unit])
    if "tall" in meanings:
        return _Value(lambda facts: facts.height_m, _LENGTHS[unit])
    raise ParameterError(f'"{part}" is a length: say of what, as in "1.8 m tall" or "slide under 10 mm".')


_PLAIN: dict[str, Callable[[ClipFacts], bool]] = {
    "walk": lambda facts: facts.walk >= LEAST_SHARE,
    "run": lambda facts: facts.run >= LEAST_SHARE,
    "still": lambda facts: facts.still >= _STILL,
    "low": lambda facts: facts.low >= LEAST_SHARE,
    "jump": lambda facts: facts.jumps > 0,
    "kick": lambda facts: facts.kicks > 0,
    "straight": lambda facts: max(facts.turn_left_deg, facts.turn_right_deg) < LEAST_TURN_DEG,
    "backwards": lambda facts: facts.backwards >= _OTHER_WAY,
    "sideways": lambda facts: facts.sideways >= _OTHER_WAY,
}
_SPELLINGS = {
    "walk": "walk walks walking",
    "run": "run runs running jog jogs jogging",
    "still": "still stand stands standing idle",
    "low": "low sit sits sitting crouch crouches crouching kneel kneels kneeling lie lies lying",
    "jump": "jump jumps jumping hop hops hopping leap leaps leaping",
    "kick": "kick kicks kicking",
    "straight": "straight",
    "backwards": "backwards backward back",
    "sideways": "sideways sideway sidestep sidesteps sidestepping",
    "turn": "turn turns turning",
    "slide": "slide slides sliding skate skates skating",
    "tall": "tall high height",
    "long": "long lasting lasts duration",
    "fast": "speed",
}
_MEANINGS = {word: meaning for meaning, words in _SPELLINGS.items() for word in words.split()}
_NAMED_VALUES = ("turn", "slide", "tall", "long", "fast")
_SIDES = ("left", "right")
_NOT = ("not", "no", "without")
_FILLERS = {"a", "an", "the", "at", "of", "with", "to the", "by", "clip", "clips", "motion", "character", "is", "than"}
_OVER = ("over", "above", "more", "longer", "faster", "taller", "least", ">")
_UNDER = ("under", "below", "less", "shorter", "slower", "most", "<")
_SPEEDS = {"m/s": 1.0, "km/h": 1.0 / 3.6, "kph": 1.0 / 3.6, "mph": 0.44704}
_TIMES = {"s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "min": 60.0, "minute": 60.0, "minutes": 60.0}
_ANGLES = ("deg", "degree", "degrees", "°")
_LENGTHS = {"m": 1.0, "metre": 1.0, "metres": 1.0, "meter": 1.0, "meters": 1.0, "cm": 0.01, "mm": 0.001}
_ALL_UNITS = (*_SPEEDS, *_TIMES, *_ANGLES, *_LENGTHS)
_KNOWN = {*_MEANINGS, *_SIDES, *_NOT, *_OVER, *_UNDER, *_ALL_UNITS, "about", "around", "to", "-"}
_NUMBER = re.compile(r"\d*\.?\d+")
_UNITS = "|".join(re.escape(u) for u in sorted(_ALL_UNITS, key=len, reverse=True))
_QUANTITY = re.compile(
    rf"((?:[a-z]+ )*?)(?:({'|'.join(map(re.escape, (*_OVER, *_UNDER)))}|about|around) )?"
    rf"(\d*\.?\d+)(?: ?(?:to|-) ?(\d*\.?\d+))? ?({_UNITS})((?: [a-z]+)*)"
)
_HELP = (
    f"Known are {', '.join(_PLAIN)}, turn left, turn right, and numbers such as 1.2 m/s, over 3 s, turn left 90 deg, "
    "1.8 m tall, slide under 10 mm; separate them by commas."
)


def _unknown(word: str) -> UnknownNameError:
    return UnknownNameError(
        "word for motion", word, sorted({*_MEANINGS, *_SIDES, *_NOT, *_OVER, *_UNDER} - {">", "<"}), advice=_HELP
    )
