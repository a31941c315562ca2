"""Options by name, from the library's own table.

Nothing here knows an option: names, ranges, words and help are the table's,
so a new row of it is a new keyword here.
"""
from __future__ import annotations

import ctypes
import difflib
import inspect
import keyword
import numbers
import textwrap
from typing import Any, Mapping, NamedTuple, Optional

from . import _abi
from ._errors import check

INTEGER, REAL, CHOICE, SWITCH = range(4)


class Option(NamedTuple):
    """One row of the table."""
    name: str
    type: int
    range: str
    help: str
    choices: "tuple[str, ...]"
    unset: Optional[str]  # the word for "not given"
    may_change: bool  # between the sessions of a journal
    default: str


def python_name(name: str) -> str:
    """The keyword of an option: async is a word of Python's, so that its
    keyword is async_."""
    return name + "_" if keyword.iskeyword(name) else name


def own_name(key: str) -> str:
    """The library's name of a keyword."""
    name = key[:-1] if key.endswith("_") else key
    return name if keyword.iskeyword(name) else key


def read(options: _abi.Options, name: str) -> str:
    """An option as text."""
    text = ctypes.create_string_buffer(64)
    status = _abi.options_get(ctypes.byref(options), name.encode(), text,
                              len(text))
    if status != 0:
        raise RuntimeError(f"option {name} cannot be read")
    return text.value.decode()


def _row(index: int, defaults: _abi.Options) -> Option:
    row = _abi.option_at(index).contents
    name = row.name.decode()
    choices = tuple(row.choices.decode().split("|")) if row.choices else ()
    unset = row.unset.decode() if row.unset else None
    return Option(name, row.type, row.range.decode(), row.help.decode(),
                  choices, unset, bool(row.may_change),
                  read(defaults, name))


def _table() -> "dict[str, Option]":
    defaults = _abi.options_default()
    rows = (_row(i, defaults) for i in range(_abi.option_count()))
    return {row.name: row for row in rows}


TABLE = _table()


def text(name: str, value: Any) -> str:
    """A value as the table reads it; None stands for "not given"."""
    row = TABLE[name]
    if value is None:
        return row.default if row.unset is None else row.unset
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral) and row.type != REAL:
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise TypeError(f"{name} is {value!r}; it must be "
                    + (" or ".join(row.choices) or f"a number, {row.range}"))


def complain(name: str, others: "tuple[str, ...]" = ()) -> TypeError:
    """There is no such keyword; but perhaps one like it."""
    near = difflib.get_close_matches(name, [*TABLE, *others], 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return TypeError(f"there is no option {name!r}{hint}")


def make(values: Mapping[str, Any]) -> _abi.Options:
    """The library's options with these set."""
    options: _abi.Options = _abi.options_default()
    for key, value in values.items():
        name = own_name(key)
        if name not in TABLE:
            raise complain(key)
        check(_abi.options_set, ctypes.byref(options), name.encode(),
              text(name, value).encode())
    return options


def texts(options: _abi.Options) -> "dict[str, str]":
    """Every option as text, in the order of the table."""
    return {name: read(options, name) for name in TABLE}


def number(options: _abi.Options, name: str) -> Optional[float]:
    """An option's number, None where it is not given."""
    found = read(options, name)
    return None if found == TABLE[name].unset else float(found)


def hook(options: _abi.Options, progress: Any, user: int) -> None:
    """Makes the library call `progress`."""
    options.progress = ctypes.cast(progress, ctypes.c_void_p).value
    options.progress_user = user


def _short(number: str) -> str:
    """0.1, and not all 17 digits; words as they are."""
    try:
        return f"{float(number):.15g}"
    except ValueError:
        return number


def _entry(row: Option) -> "list[str]":
    """A row as a parameter of a docstring."""
    kind = "{" + ", ".join(row.choices) + "}" if row.choices else (
        "bool" if row.type == SWITCH else
        f"{'float' if row.type == REAL else 'int'} {row.range}")
    return [f"{python_name(row.name)} : {kind}, default {_short(row.default)}",
            *textwrap.wrap(row.help, 70, initial_indent="    ",
                           subsequent_indent="    ")]


# the headings of the options in docstrings
ENDS, MOVES = "When to end", "How to search"


def describe() -> str:
    """The table as the tail of a docstring: options that can only end a run,
    then those by which it searches."""
    lines = []
    for title, ends in ((ENDS, True), (MOVES, False)):
        lines += ["", title, "-" * len(title)]
        for row in TABLE.values():
            # tolerances end a run too, though they cannot change in a journal
            if (row.may_change or row.name in ("tol", "stop_decrease")) == ends:
                lines += _entry(row)
    return "\n".join(lines[1:])


def documented(function: Any) -> Any:
    """Decorator: puts the options into the docstring, for {options}, and into
    the signature, for **options."""
    indent = " " * 4
    table = textwrap.indent(describe(), indent).lstrip()
    function.__doc__ = (function.__doc__ or "").replace("{options}", table)
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values()
           if p.kind is not p.VAR_KEYWORD]
    rows = [inspect.Parameter(python_name(name),
                              inspect.Parameter.KEYWORD_ONLY, default=None)
            for name in TABLE if name not in signature.parameters]
    function.__signature__ = signature.replace(parameters=own + rows)
    return function
