"""Short names for frequent annotations."""
from typing import Any, Callable, Tuple

from numpy.typing import NDArray

Array = NDArray[Any]
Arguments = Tuple[Any, ...]  # of a function, after x
Function = Callable[..., Any]
