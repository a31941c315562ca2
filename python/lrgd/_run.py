"""lrgd.Run: a journal opened for reading, and for resuming its run."""
from __future__ import annotations

import ctypes
import os
import subprocess
from typing import Any, Optional

import numpy as np

from . import (_abi, _journal, _library, _manners, _minimize, _options,
               _result)
from ._errors import InvalidArgument, check
from ._minimize import PathLike
from ._result import Result
from ._types import Arguments, Array, Function
from ._variables import Variables

# a column with two names: the former one, and the present one
_DTYPE = [("sequence", np.uint64), (("sitting", "session"), np.uint64),
          ("kind", "U9"),
          ("f", float), ("slope", float), ("seconds", float), ("why", object)]


class Run:
    """A journal: the evaluations of minimize or of the command.

    Parameters
    ----------
    path : path of the journal
        Opened for reading only, also while a run is writing it.

    Attributes
    ----------
    dimension
        number of inputs
    evaluations
        answers kept
    failures
        failed ones among them
    sessions
        how many times it was begun or resumed (formerly `sittings`)
    paths
        runs on one function that it holds, of which the last is resumed
    in_flight
        evaluations under way
    best_f
        lowest value recorded, NaN where there is none; of a run with
        constraints that of the best point that meets them, or of the one
        that is least outside
    outputs, violation
        of a run with constraints: what was answered there, by name, and the
        largest violation, as in Result; else None
    best_x
        its point
    outcome
        how the last session ended, "" where it did not
    phase
        what the solver was doing when it last said so
    rank
        directions in use then
    iteration
        how many it had done
    started
        when the first session began
    seconds
        wall time of all of them
    run_id
        32 hexadecimal digits
    settings
        what belongs to the run: start, bounds, options, as stored

    Examples
    --------
    >>> run = lrgd.Run("run.db")                         # doctest: +SKIP
    >>> run.to_frame().plot("sequence", "best")          # doctest: +SKIP
    >>> result = run.resume(f, max_evals=10_000)         # doctest: +SKIP
    """

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        self.refresh()

    def refresh(self) -> None:
        """Reads the journal again, with what a run has added since."""
        self.best_x: Optional[Array] = None
        journal = _journal.open_readonly(self.path)
        try:
            self._read(journal)
        finally:
            _abi.journal_close(ctypes.byref(journal))

    def _read(self, journal: Any) -> None:
        summary = _journal.summarize(journal)
        self.dimension: int = summary.dimension
        self.evaluations: int = summary.rows
        self.failures: int = summary.failures
        self.in_flight: int = summary.in_flight
        self.sessions: int = summary.sessions
        self.paths: int = summary.paths
        self.seconds: float = summary.seconds
        self.outcome: str = summary.outcome.decode()
        self.phase: str = summary.phase.decode(errors="replace")
        self.decision: Optional[_result.Decision] = _result.decision(
            summary.decision)
        self.rank: int = summary.rank
        self.iteration: int = summary.iteration
        self.started: str = summary.started.decode()
        self.run_id: str = summary.run_id.decode()
        self.best_f: float = summary.best_f
        kept = _journal.stored_settings(journal)
        self._kept = kept
        self.settings = {key: kept[key].value for key in kept}
        best = summary.best_sequence
        self.outputs: "Optional[dict[str, float]]" = None
        self.violation: Optional[float] = None
        if "output_lower" in kept:
            limited = _journal.best_within(journal, kept, summary.paths)
            best, self.best_f, self.violation, self.outputs = limited
        if not np.isnan(self.best_f):
            self.best_x = self._point(journal, best)

    def _point(self, journal: Any, sequence: int) -> Array:
        x = np.empty(self.dimension)
        check(_abi.journal_point, journal, sequence, x.ctypes.data)
        return x

    @property
    def sittings(self) -> int:
        """The former name of `sessions`."""
        return self.sessions

    def __repr__(self) -> str:
        how = self.outcome or "unfinished"
        return (f"<lrgd.Run {self.path!r}: {self.evaluations:,} evaluations, "
                f"best f {self.best_f:.6g}, {how}>")

    def to_records(self) -> Array:
        """The evaluations as a structured array: sequence, session
        (its number; formerly `sitting`), kind (values, slopes, gradients), f (NaN:
        failed), slope, seconds, why."""
        journal = _journal.open_readonly(self.path)
        try:
            rows = [(row["sequence"], row["session"],
                     _result.KINDS[row["kind"]], row["f"], row["slope"],
                     row["seconds"],
                     row["why"] and row["why"].decode(errors="replace"))
                    for row in _journal.rows(journal)]
        finally:
            _abi.journal_close(ctypes.byref(journal))
        return np.array(rows, dtype=_DTYPE)

    def to_frame(self, points: bool = False) -> Any:
        """The evaluations as a pandas data frame, with the best value so far
        in the column `best`; points=True adds the p columns x0, x1, ..."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "a data frame needs pandas (python3-pandas); to_records gives "
                "the same as an array") from None
        records = self.to_records()
        frame = pandas.DataFrame({name: records[name]
                                  for name in records.dtype.names or ()})
        frame["best"] = np.fmin.accumulate(records["f"]) if len(records) else (
            records["f"])
        if points:
            X = self.points(records["sequence"])
            names = [f"x{i}" for i in range(self.dimension)]
            frame = pandas.concat(
                [frame, pandas.DataFrame(X, columns=names)], axis=1)
        return frame

    def points(self, sequences: Any = None) -> Array:
        """The points of these rows (or of all), one a row."""
        if sequences is None:
            sequences = self.to_records()["sequence"]
        journal = _journal.open_readonly(self.path)
        try:
            points = [self._point(journal, int(n)) for n in sequences]
        finally:
            _abi.journal_close(ctypes.byref(journal))
        return np.array(points).reshape(-1, self.dimension)

    def plot(self, ax: Any = None) -> Any:
        """Draws the best value so far over evaluations; returns the axes."""
        from . import _plots
        return _plots.convergence(self.to_records(), ax)

    def report(self, path: PathLike) -> str:
        """Writes the page that `lrgd report` makes of a run; returns its
        path.  Needs the command."""
        done = subprocess.run(
            [_library.command(), "report", self.path, "-o", os.fspath(path)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()
                               or f"lrgd report ended with status "
                                  f"{done.returncode}")
        return os.fspath(path)

    def resume(self, fun: Optional[Function], *, args: Arguments = (),
               grad: Any = None, jac: Any = None,
               jvp: Optional[Function] = None, batch: Any = None,
               callback: Optional[Function] = None, jobs: int = 1,
               timeout: Optional[float] = None, x0: Any = None,
               bounds: Any = None, samples: Any = None,
               learn_from: Any = None, progress: bool = False,
               **options: Any) -> Result:
        """Resumes the run: no recorded evaluation is repeated.

        The function is given anew, everything else is as recorded; options
        that end a run (max_evals, max_seconds, target and the like) may be
        given anew, and count over all sessions.  A run that the command began
        with a worker can go on here too.

        With another method, seed, tolerance, start (x0), bounds or samples,
        with more to learn_from (see minimize), and where the recorded run
        cannot be repeated (another version, another machine), it warns and
        goes on as a new path in the same file: from the best point stored (or
        x0), with all that is stored known, after asking that point once more.
        Evaluations in memory that the run learned from are no part of the
        journal: give them again.  The result counts the evaluations of the
        path.
        """
        if "answers" in self._kept:
            raise InvalidArgument(f"{self.path} is of a run with constraints, "
                                  "which no journal holds: minimize with the "
                                  "same arguments and journal= goes on")
        settings = self._renewed(_manners.read_options(options))
        if x0 is not None:
            settings["start"] = _journal.Setting(
                _minimize.point(x0))
        for side, value in zip(("lower", "upper"), _minimize.read_bounds(
                bounds, self.dimension)):
            if value is not None:
                settings[side] = _journal.Setting(value)
        given = _minimize.read_samples(samples, self.dimension)
        if given is not None:
            settings["samples"] = _journal.Setting(np.ravel(given))
        jac = _minimize.one_gradient(grad, jac)
        self._check_oracle("slope" if jvp else "gradient" if jac else "value")
        p = self.dimension
        basis, A = (self.settings.get(key) for key in ("basis", "constraints"))
        constraints = None if A is None else (
            A.reshape(-1, p), self.settings["constraint_values"])
        try:
            return _minimize.solve(
                np.array(settings["start"].value), fun,
                args=_manners.read_args(args), jac=jac,
                jvp=jvp, batch=batch, jobs=jobs, progress=progress,
                callback=_manners.read_callback(callback),
                variables=Variables.recorded(p, settings),
                timeout=timeout, bounds=self._sides(settings),
                basis=None if basis is None else basis.reshape(p, -1),
                constraints=constraints, samples=self._points(settings),
                journal=self.path, settings=settings,
                learn_from=learn_from, keep_start=x0 is not None,
                options=self._options(settings))
        finally:
            self.refresh()

    def _renewed(self, options: "dict[str, Any]") -> "dict[str, Any]":
        settings = dict(self._kept)
        for key, value in options.items():
            name = _options.own_name(key)
            if name not in _options.TABLE:
                raise _options.complain(key)
            made = _options.make({name: value})
            settings[name] = _journal.Setting(
                _options.read(made, name), _options.TABLE[name].may_change)
        return settings

    @staticmethod
    def _sides(settings: "dict[str, Any]") -> "tuple[Any, Any]":
        lower, upper = (settings[key].value if key in settings else None
                        for key in ("lower", "upper"))
        return lower, upper

    def _points(self, settings: "dict[str, Any]") -> Optional[Array]:
        """The sample points, a row each."""
        if "samples" not in settings:
            return None
        numbers = np.array(settings["samples"].value)
        return numbers.reshape(-1, self.dimension)

    def _check_oracle(self, kind: str) -> None:
        recorded = self.settings.get("oracle")
        if recorded != kind:
            raise InvalidArgument(
                f"{self.path} holds answers of the kind {recorded!r}, and "
                f"what is given now answers {kind!r}"
                + ("; lrgd.least_squares(fun, x0, journal=...), as it was "
                   "called before, goes on" if recorded == "residuals"
                   else ""))

    @staticmethod
    def _options(settings: "dict[str, Any]") -> _abi.Options:
        return _options.make({name: setting.value for name, setting
                              in settings.items() if name in _options.TABLE})
