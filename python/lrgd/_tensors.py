"""Vectors of a space (lrgd/space.h) as PyTorch's tensors, and back.

Knows where a space keeps its numbers, and hands them to PyTorch by DLPack: a
tensor is a view of the solver's own memory, on the host or on a card, and
nothing is copied.  Not known: what is minimised.
"""
from __future__ import annotations

import ctypes
import importlib
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, c_int32, c_int64, c_uint8,
                    c_uint16, c_uint64, c_void_p)
from typing import Any, Dict

from . import _abi, _library
from ._errors import exception

Tensor = Any  # of PyTorch, which is not imported before somebody has one

_DOUBLE, _FLOAT = 0, 1  # lrgd_scalar


def pytorch() -> Any:
    """The package; its types differ from version to version."""
    return importlib.import_module("torch")


def is_tensor(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


# ---- DLPack (dmlc/dlpack, dlpack.h, version 0) ----


class _Device(Structure):
    _fields_ = [("type", c_int32), ("index", c_int32)]


class _Type(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _Memory(Structure):
    _fields_ = [("data", c_void_p), ("device", _Device), ("ndim", c_int32),
                ("dtype", _Type), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("offset", c_uint64)]


class _Managed(Structure):
    pass


_DELETER = CFUNCTYPE(None, c_void_p)
_Managed._fields_ = [("memory", _Memory), ("context", c_void_p),
                     ("deleter", _DELETER)]
_CPU, _CUDA, _REAL = 1, 2, 2  # kDLCPU, kDLCUDA, kDLFloat

_lent: Dict[int, Any] = {}  # what tensors were made of, until they are gone


@_abi.callback(_DELETER)
def _take_back(address: int) -> None:
    _lent.pop(address, None)


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [c_void_p, ctypes.c_char_p, c_void_p]


def _view(address: int, device: _Device, bits: int, shape: "tuple[int, ...]",
          strides: "tuple[int, ...]") -> Tensor:
    """A tensor over memory that somebody else owns."""
    n = len(shape)
    sizes, steps = (c_int64 * n)(*shape), (c_int64 * n)(*strides)
    managed = _Managed(
        _Memory(address, device, n, _Type(_REAL, bits, 1), sizes, steps, 0),
        None, _take_back)
    at = ctypes.addressof(managed)
    _lent[at] = managed, sizes, steps
    return pytorch().utils.dlpack.from_dlpack(_capsule(at, b"dltensor", None))


# ---- spaces ----


class Vectors:
    """A space whose vectors have the device and the precision of a tensor."""

    def __init__(self, like: Tensor) -> None:
        torch = pytorch()
        if like.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"x0 is a tensor of {like.dtype}; it must be "
                            "float32 or float64")
        if like.ndim != 1 or like.numel() == 0:
            raise ValueError(f"x0 has shape {tuple(like.shape)}; it must be a "
                             "vector")
        self.p = like.numel()
        self.bits = 64 if like.dtype == torch.float64 else 32
        scalar = _DOUBLE if self.bits == 64 else _FLOAT
        if like.device.type == "cpu":
            self.on_host(scalar)
        elif like.device.type == "cuda":
            self.on_card(scalar, like.device.index or 0)
        else:
            raise TypeError(f"x0 is on {like.device}; vectors can be kept on "
                            "cpu and cuda: give x0.cpu()")
        self.blocks: "list[int]" = []
        self.ops = _abi.Space.from_address(self.space.value or 0).ops.contents

    def on_host(self, scalar: int) -> None:
        self.device, self.stride = _Device(_CPU, 0), self.p
        self.data = _abi.host_data
        self.space = c_void_p(_abi.host_space(self.p, scalar, None))
        if not self.space.value:
            raise MemoryError(f"a space of dimension {self.p}")

    def on_card(self, scalar: int, index: int) -> None:
        if index != 0:
            raise ValueError(f"x0 is on cuda:{index}; vectors are kept on the "
                             "first card: choose it by CUDA_VISIBLE_DEVICES")
        library = _library.cuda()
        make, self.data, stride = (
            _abi._take(library, f"cuda_{name}", result, *arguments)
            for name, result, *arguments in (
                ("space", c_void_p, ctypes.c_size_t, ctypes.c_int,
                 POINTER(_abi.Error)),
                ("data", c_void_p, _abi.Vec),
                ("stride", ctypes.c_size_t, c_void_p)))
        error = _abi.Error()
        self.device = _Device(_CUDA, index)
        self.space = c_void_p(make(self.p, scalar, ctypes.byref(error)))
        if not self.space.value:
            raise exception(error.status, error)
        self.stride = stride(self.space)

    def make(self, columns: int) -> _abi.Vec:
        """The first column of a new block."""
        block = self.ops.make(self.space, columns)
        if not block:
            raise MemoryError(f"{columns} vectors of {self.p} numbers")
        self.blocks.append(block)
        return _abi.Vec(block, 0)

    def column(self, y: _abi.Vec) -> Tensor:
        """A view of one vector."""
        return _view(self.data(y), self.device, self.bits, (self.p,), (1,))

    def columns(self, y: _abi.Vec, k: int) -> Tensor:
        """A view of k of them, one after another: a row each."""
        return _view(self.data(y), self.device, self.bits, (k, self.p),
                     (self.stride, 1))

    def basis(self, solver: Any) -> Tensor:
        """The solver's basis, a copy: p x k; None where there is none."""
        k = _abi.solver_basis_size(solver)
        if k == 0:
            return None
        y = self.make(k)
        if _abi.solver_basis_in(solver, y) != 0:
            return None
        return self.columns(y, k).clone().T

    def close(self) -> None:
        for block in self.blocks:
            self.ops.free(self.space, block)
        self.blocks.clear()
        _abi.space_destroy(ctypes.byref(self.space))


# ---- forward mode ----

BLOCK = 32  # directions that go through a function at once


def forward(fun: Any) -> Any:
    """slopes(x, U) -> (f, slopes along the rows of U): forward-mode
    differentiation of fun, all rows in one pass."""
    torch = pytorch()
    if hasattr(torch, "func"):
        def along(x: Tensor, u: Tensor) -> Any:
            return torch.func.jvp(fun, (x,), (u,))
        many = torch.func.vmap
    else:  # PyTorch before 2.0
        along, many = _along(fun), torch._vmap_internals._vmap

    def slopes(x: Tensor, U: Tensor) -> Any:
        cat = pytorch().cat
        parts = [many(lambda u: along(x, u))(some) for some in U.split(BLOCK)]
        return (parts[0][0][0].reshape(()),
                cat([d.reshape(-1) for _, d in parts]))
    return slopes


def _along(fun: Any) -> Any:
    forward_ad = pytorch().autograd.forward_ad

    def along(x: Tensor, u: Tensor) -> Any:
        with forward_ad.dual_level():
            f, d = forward_ad.unpack_dual(fun(forward_ad.make_dual(x, u)))
        return f, pytorch().zeros_like(f) if d is None else d
    return along
