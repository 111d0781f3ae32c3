"""Reads JSON into the types of this package."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
Reader = Callable[[Any], Any]


def read(kind: type[T], value: Any) -> T:
    """Return the value as an object of this class. Fields that the class does not know are ignored."""
    found: T = _reader(kind)(value)
    return found


def read_list(kind: type[T], values: Any) -> list[T]:
    """Return the values as objects of this class."""
    return [read(kind, value) for value in values]


def _same(value: Any) -> Any:
    return value


def _make_reader(annotation: Any) -> Reader:
    """Return how values of a type are read."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        return _object_reader(annotation)
    if origin in {list, dict}:
        inner = _reader(arguments[-1])
        if inner is _same:
            return _same
        if origin is list:
            return lambda values: [inner(value) for value in values]
        return lambda values: {key: inner(value) for key, value in values.items()}
    if origin in {typing.Union, types.UnionType}:
        return _union_reader(arguments)
    return _same


_reader: Callable[[Any], Reader] = functools.cache(_make_reader)
"""The types are few, and each is looked at once."""


def _object_reader(kind: type[Any]) -> Reader:
    hints = typing.get_type_hints(kind)
    # A keyword of Python, such as `from`, has an underscore behind it.
    readers = {
        field.name.removesuffix("_"): (field.name, _reader(hints[field.name]))
        for field in dataclasses.fields(kind)
    }

    def read_object(value: Any) -> Any:
        given: dict[str, Any] = {}
        for key, each in value.items():
            if key in readers:
                name, reader = readers[key]
                given[name] = reader(each)
        return kind(**given)

    return read_object


def _union_reader(options: tuple[Any, ...]) -> Reader:
    """Return the reader of a value that may be absent, or of objects that `kind` tells apart."""
    objects = [each for each in options if dataclasses.is_dataclass(each)]
    if len(objects) > 1:
        by_kind = {
            typing.get_args(typing.get_type_hints(each)["kind"])[0]: _reader(each)
            for each in objects
        }
        return lambda value: by_kind[value["kind"]](value)
    others = [_reader(each) for each in options if each is not type(None)]
    only = next((reader for reader in others if reader is not _same), None)
    if only is None:
        return _same
    return lambda value: None if value is None else only(value)
