"""Chat messages as the types of the openai package, which the documented schema names.

What a caller sends is a TypedDict and what a model answered is an open BaseModel: the two fail with
different errors, so the judge has to be built from both, as the service is.
"""

import os
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, Optional, Union, get_args, get_origin, get_type_hints

from openai.types import chat
from openai.types.chat.chat_completion import Choice
from pydantic import SkipValidation
from typing_extensions import TypedDict, is_typeddict

# How the arrays of a message are read. Three readings have the same OpenAPI document: lists with checked
# items; iterables, as in the types of the openai package; any message at all, as in the types of the client.
# A fourth one, `clients`, has lists, and null where the client dumps an answer with it.
READING = os.environ.get("SVTRAIN_MESSAGE_ARRAYS", "checked")
NULL_WHEN_DUMPED = ("name", "tool_calls") if READING == "clients" else ()
# Fields that are newer than the document.
NEWER = ("prompt_cache_breakpoint",)


def as_read(kind: Any) -> Any:
    """A type with the arrays of the reading, and without newer fields."""
    if is_typeddict(kind):
        return fields_as_read(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is None or origin is Literal:
        return kind
    if origin is Iterable and READING in ("checked", "clients"):
        origin = list
    first, *others = map(as_read, parts)
    return origin[(first, *others) if others else first]


@cache
def fields_as_read(sent: Any) -> Any:
    fields = {
        name: as_read(kind)
        for name, kind in get_type_hints(sent, include_extras=True).items()
        if name not in NEWER
    }
    if sent is chat.ChatCompletionAssistantMessageParam:
        fields |= {name: Optional[fields[name]] for name in NULL_WHEN_DUMPED}
    read = TypedDict(sent.__name__, fields, total=False)
    # The framework tells types of one name apart by module.
    read.__module__ = sent.__module__
    return read


Message = as_read(chat.ChatCompletionMessageParam)
ChatCompletionFunctionToolParam = as_read(chat.ChatCompletionFunctionToolParam)
MessageOrChoice = Union[
    Annotated[Message, SkipValidation] if READING == "any" else Message,
    Choice,
]
