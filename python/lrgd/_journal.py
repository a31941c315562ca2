"""The journal of a solve: the settings of the run, its replay, its end."""
from __future__ import annotations

import ctypes
import os
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _abi, _door, _learn, _options
from ._errors import Error, InvalidArgument, check
from ._types import Array


_FEASIBLE = 1e-6  # LRGD_FEASIBLE


class Setting(NamedTuple):
    """A setting that identifies the run: a text, or an array (start, bounds).
    """
    value: Any
    may_change: bool = False
    default: bool = False  # the value for runs from before there was this key


def settings_of(door: _door.Door, x0: Array, lower: Optional[Array],
                upper: Optional[Array], options: _abi.Options,
                more: "dict[str, Array]",
                learned: _learn.Learned) -> "dict[str, Setting]":
    """The settings of a new run; keys as the command uses them."""
    found = {"kind": Setting("python"), "oracle": Setting(door.kind),
             "start": Setting(x0)}
    arrays = {"lower": lower, "upper": upper, **more}
    found.update({key: Setting(np.ravel(value)) for key, value
                  in arrays.items() if value is not None})
    found.update(option_settings(options))
    found["version"] = Setting(_abi.version().decode(), True)
    record_learned(found, learned)
    return found


def record_learned(settings: "dict[str, Setting]",
                   learned: _learn.Learned) -> None:
    """Adds to settings what a run learns from, and whether it evaluates a
    point again first: a resumed run does the same."""
    for key, text in (("learned", learned.text),
                      ("verified", "yes" if learned.verify else "")):
        settings.pop(key, None)
        if text:
            settings[key] = Setting(text)


def recorded(path: "Union[str, os.PathLike[str]]", key: str) -> str:
    """A text in a journal's settings; "" if there is none."""
    try:
        with _learn.opened(path) as journal:
            found = stored_settings(journal).get(key, Setting("")).value
    except Error:
        return ""
    return found if isinstance(found, str) else ""


def option_settings(options: _abi.Options) -> "dict[str, Setting]":
    texts = _options.texts(options)
    return {name: Setting(text, _options.TABLE[name].may_change,
                          text == _options.TABLE[name].default)
            for name, text in texts.items()}


def _to_c(settings: "dict[str, Setting]") -> Any:
    array = (_abi.Setting * len(settings))()
    for slot, (key, setting) in zip(array, settings.items()):
        slot.key = key.encode()
        slot.may_change = (_abi.SETTING_MAY_CHANGE * setting.may_change +
                           _abi.SETTING_DEFAULT * setting.default)
        if isinstance(setting.value, str):
            slot.text = setting.value.encode()
        else:
            numbers = np.ascontiguousarray(setting.value, dtype=float)
            slot.numbers = (ctypes.c_double * numbers.size)(*numbers)
            slot.count = numbers.size
    return array


def stored_settings(journal: Any) -> "dict[str, Setting]":
    """The settings of a journal."""
    found = {}
    for i in range(_abi.journal_setting_count(journal)):
        slot = _abi.journal_setting_at(journal, i).contents
        value: Any
        if slot.text is not None:
            value = slot.text.decode(errors="replace")
        else:
            value = np.array(slot.numbers[:slot.count])
        found[slot.key.decode()] = Setting(value, bool(slot.may_change))
    return found


def open_readonly(path: "Union[str, os.PathLike[str]]") -> Any:
    journal = ctypes.c_void_p()
    check(_abi.journal_open_readonly, ctypes.byref(journal),
          os.fsencode(path))
    return journal


def summarize(journal: Any) -> _abi.Summary:
    summary = _abi.Summary()
    check(_abi.journal_summarize, journal, ctypes.byref(summary))
    return summary


def rows(journal: Any) -> "list[dict[str, Any]]":
    """The fields of the rows, in order."""
    found: "list[dict[str, Any]]" = []
    names = [name for name, _ in _abi.Row._fields_]

    def keep(row: Any, _user: Any) -> int:
        found.append({name: getattr(row.contents, name) for name in names})
        return 0

    check(_abi.journal_rows, journal, 1, _abi.ROW(keep), None)
    return found


class Best(NamedTuple):
    """The best evaluation of a run with constraints."""
    sequence: int  # 0: there is none
    f: float
    violation: float  # in units of scale, as Result.violation
    outputs: "dict[str, float]"


def best_within(journal: Any, settings: "dict[str, Setting]",
                path: int) -> Best:
    """Finds the best evaluation within the limits, or the one least
    outside."""
    names = str(settings["answers"].value).split(",")
    lower, upper = (np.asarray(settings["output_" + side].value)
                    for side in ("lower", "upper"))
    at = names.index(str(settings["objective"].value))
    sign = -1 if settings["maximize"].value == "yes" else 1
    sides = [np.where(np.isfinite(side), abs(side), 0)
             for side in (lower, upper)]
    scale = np.maximum(*sides)
    found: "list[Any]" = [None, Best(0, float("nan"), float("nan"), {})]

    def look(stored: Any, _user: Any) -> int:
        row = stored.contents
        if row.residual_count != lower.size or row.path != path:
            return 0
        y = _door.array_at(row.residuals, lower.size).copy()
        scale[scale == 0] = np.where(y == 0, 1, abs(y))[scale == 0]
        out = max(0.0, float((np.maximum(lower - y, y - upper)
                              / scale).max()))
        order = (out if out > _FEASIBLE else 0, sign * y[at])
        if found[0] is None or order < found[0]:
            found[:] = order, Best(row.sequence, float(y[at]), out,
                                   dict(zip(names, y.tolist())))
        return 0

    check(_abi.journal_each, journal, 1, 2 ** 64 - 1, _abi.STORED(look), None)
    best: Best = found[1]
    return best


class Journal:
    """The journal of one solve, open for writing."""

    def __init__(self, path: "Union[str, os.PathLike[str]]", p: int,
                 settings: "dict[str, Setting]", *, jobs: int,
                 must_exist: bool) -> None:
        self.path = os.fspath(path)
        self.p = p
        self.journal = ctypes.c_void_p()
        array = _to_c(settings)
        options = _abi.journal_options_default()
        options.dimension = p
        options.settings = array
        options.setting_count = len(array)
        options.must_exist = options.may_differ = must_exist
        if "residuals" not in settings:
            options.advice = (b"; lrgd.Run(...).resume goes on as a new path, "
                              b"and a run with learn_from knows what it holds")
        options.jobs = jobs
        check(_abi.journal_open, ctypes.byref(self.journal),
              os.fsencode(path), ctypes.byref(options))
        _abi.run_sweep(self.run_id)

    @property
    def run_id(self) -> bytes:
        return bytes(_abi.journal_run_id(self.journal))

    def spend(self, options: _abi.Options) -> None:
        """Subtracts what earlier sessions and paths have spent from the
        budgets. If the time is spent, recorded evaluations without a gap are
        replayed, and none is made."""
        kept, changed = summarize(self.journal), {}
        most = _options.number(options, "max_evals")
        earlier = kept.rows - kept.path_rows + kept.checks
        if most is not None and earlier > 0:
            most = max(int(most) - earlier, int(kept.path_rows), 1)
            changed["max_evals"] = str(most)
        allowed = _options.number(options, "max_seconds")
        if allowed is not None and allowed > kept.seconds:
            changed["max_seconds"] = repr(allowed - kept.seconds)
        elif allowed is not None:
            whole = self._whole(kept.path_first)
            changed["max_seconds"] = _options.text("max_seconds", None)
            changed["max_evals"] = str(whole if most is None
                                       else min(whole, int(most)))
        for name, text in changed.items():
            check(_abi.options_set, ctypes.byref(options), name.encode(),
                  text.encode())

    def _whole(self, first: int) -> int:
        """The number of rows of the present path before the first gap."""
        count = 0
        for row in rows(self.journal):
            if row["sequence"] == first + count:
                count += 1
            elif row["sequence"] > first:
                break
        return count

    # ---- paths ----

    def departs(self) -> str:
        """How this run differs from the recorded one; "": it does not, so far.
        """
        difference = _abi.journal_difference(self.journal)
        if difference:
            return ("this run is another than the journal's "
                    f"({difference.decode(errors='replace')})")
        departure = _abi.journal_departure(self.journal)
        if departure.sequence == 0:
            return ""
        return ("the run departs from the journal at evaluation "
                f"{departure.sequence} "
                f"({departure.how.decode(errors='replace')})")

    def best(self, lower: Optional[Array],
             upper: Optional[Array]) -> Optional[Array]:
        """The best stored point: of those within the bounds, if there are any.
        """
        known = _learn.Learned(self.p)
        try:
            known.add_own(self.journal, summarize(self.journal).rows + 1)
            return known.best(lower, upper)
        finally:
            known.close()

    def begin_path(self, settings: "dict[str, Setting]", why: str) -> None:
        most, paid = settings.get("max_evals"), self.length()
        text = most.value if most else ""
        if text.isdigit() and int(text) <= paid:
            raise InvalidArgument(
                f"{why}; a new path has nothing left of max_evals={text}, "
                f"with {paid} evaluations made already: give more")
        array = _to_c(settings)
        check(_abi.journal_begin_path, self.journal, array, len(array),
              why.encode())

    def wrap(self, door: _door.Door, problem: _abi.Problem,
             pool: Any) -> _abi.Problem:
        """The problem, wrapped by the journal."""
        one_by_one = pool is None and door.batch is None
        if one_by_one:
            problem.values = _abi.NO_VALUES
            problem.residual_batch = _abi.NO_BATCH
        wrapped = _abi.Problem()
        check(_abi.journal_wrap, self.journal, ctypes.byref(problem), pool,
              ctypes.byref(wrapped))
        _abi.journal_on_fatal(self.journal, _door.FATAL, door.key)
        door.journal = self.journal
        if wrapped.residuals:
            return wrapped
        return _door.one_by_one(door, wrapped) if one_by_one else wrapped

    def length(self) -> int:
        """How many evaluations it has."""
        kept = summarize(self.journal)
        return int(kept.rows + kept.checks)

    def settle(self, x: Array, noise: float) -> None:
        """Converts x to the point where f was evaluated, and stores the noise.
        """
        _abi.journal_at(self.journal, x.ctypes.data)
        _abi.journal_keep_noise(self.journal, noise)

    def check(self) -> None:
        """Raises the error for which the journal stopped the run."""
        check(_abi.journal_status, self.journal)

    def finish(self, outcome: str) -> None:
        check(_abi.journal_finish, self.journal, outcome.encode())

    def close(self) -> None:
        _abi.journal_close(ctypes.byref(self.journal))
