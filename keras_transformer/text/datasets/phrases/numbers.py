"""Numbers, clock times, ages and prices in both languages."""

from __future__ import annotations

from keras_transformer.text.datasets.phrases.words import Adverb

__all__ = ["CLOCK_TIMES", "COUNTS", "COUNTS_GERMAN", "ago_or_in", "clock", "in_english", "in_german"]

_ENGLISH = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_GERMAN = (
    *("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
    *("dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"),
)
_ENGLISH_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GERMAN_TENS = ["_", "_", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]

COUNTS, COUNTS_GERMAN = tuple(_ENGLISH[2:13]), tuple(_GERMAN[2:13])


def in_english(number: int) -> str:
    """Spell a number from 0 to 999 in English.

    Args:
        number: The number.

    Returns:
        Its name.

    Example:
        >>> in_english(342)
        'three hundred and forty-two'
    """
    if number >= 100:
        rest = f" and {in_english(number % 100)}" if number % 100 else ""
        return f"{_ENGLISH[number // 100]} hundred{rest}"
    if number < 20:
        return _ENGLISH[number]
    return _ENGLISH_TENS[number // 10] + (f"-{_ENGLISH[number % 10]}" if number % 10 else "")


def in_german(number: int) -> str:
    """Spell a number from 0 to 999 in German, units before tens.

    Args:
        number: The number.

    Returns:
        Its name.

    Example:
        >>> in_german(342)
        'dreihundertzweiundvierzig'
    """
    if number >= 100:
        hundreds = "ein" if number // 100 == 1 else _GERMAN[number // 100]
        return f"{hundreds}hundert{in_german(number % 100) if number % 100 else ''}"
    if number < 20:
        return _GERMAN[number]
    unit = {0: "", 1: "einund"}.get(number % 10, f"{_GERMAN[number % 10]}und")
    return unit + _GERMAN_TENS[number // 10]


def clock(hour: int, minute: int) -> Adverb:
    """Name a time of day as people say it.

    Args:
        hour: 1 to 12.
        minute: A multiple of five.

    Returns:
        The time in both languages.

    Example:
        >>> clock(7, 30)
        Adverb(english='half past seven', german='halb acht')
    """
    following = hour % 12 + 1
    if minute == 0:
        return Adverb(f"{_ENGLISH[hour]} o'clock", f"{'ein' if hour == 1 else _GERMAN[hour]} Uhr")
    if minute == 30:
        return Adverb(f"half past {_ENGLISH[hour]}", f"halb {_GERMAN[following]}")
    if minute < 30:
        english, german = ("a quarter", "Viertel") if minute == 15 else (_ENGLISH_PARTS[minute], _GERMAN_PARTS[minute])
        return Adverb(f"{english} past {_ENGLISH[hour]}", f"{german} nach {_GERMAN[hour]}")
    left = 60 - minute
    english, german = ("a quarter", "Viertel") if left == 15 else (_ENGLISH_PARTS[left], _GERMAN_PARTS[left])
    return Adverb(f"{english} to {_ENGLISH[following]}", f"{german} vor {_GERMAN[following]}")


_ENGLISH_PARTS = {5: "five", 10: "ten", 20: "twenty"}
_GERMAN_PARTS = {5: "fünf", 10: "zehn", 20: "zwanzig"}
CLOCK_TIMES = tuple(clock(hour, minute) for hour in range(1, 13) for minute in (0, 0, 30, 15, 45, 10, 50))
_UNITS = (("days", "Tagen"), ("weeks", "Wochen"), ("months", "Monaten"), ("years", "Jahren"))


def ago_or_in(draw: float, *, ago: bool = True) -> Adverb:
    """Return a distance in time, "three weeks ago" or "in three weeks", for a number from 0 to 1.

    Args:
        draw: Selects number and unit.
        ago: Whether it is past.

    Returns:
        The time in both languages.

    Example:
        >>> ago_or_in(0.0)
        Adverb(english='two days ago', german='vor zwei Tagen')
    """
    choice = int(draw * 36)
    number = 2 + choice // 4
    english, german = _UNITS[choice % 4]
    if ago:
        return Adverb(f"{_ENGLISH[number]} {english} ago", f"vor {_GERMAN[number]} {german}")
    return Adverb(f"in {_ENGLISH[number]} {english}", f"in {_GERMAN[number]} {german}")
