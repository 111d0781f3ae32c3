"""Chat messages as the documented schema names them.

What a caller sends is a TypedDict and what a model answered is an open BaseModel: the two fail with
different errors, so the judge has to be built from both, as the service is.
"""

import os
from typing import Annotated, Any, Iterable, Literal, Optional, TypeVar, Union

from pydantic import BaseModel, ConfigDict, SkipValidation
from typing_extensions import NotRequired, TypedDict

# How the arrays of a message are read. Three readings have the same OpenAPI document: lists with checked
# items; iterables, as in the types of the openai package; any message at all, as in the types of the client.
# A fourth one, `clients`, has lists, and null where the client dumps an answer with it.
READING = os.environ.get("SVTRAIN_MESSAGE_ARRAYS", "checked")
Array = list if READING in ("checked", "clients") else Iterable
Item = TypeVar("Item")
NullWhenDumped = Optional[Item] if READING == "clients" else Annotated[Item, "never null"]


def documented_as(component: str):
    """Give a TypedDict the module that its documented component name spells out.

    Three sent shapes share their class name with an answered one. The framework tells such twins apart
    by module, so the module decides both the component's name and nothing else.
    """
    module = component.rpartition("__")[0].replace("__", ".")

    def move(cls):
        cls.__module__ = module
        return cls

    return move


# What a caller sends


class ChatCompletionContentPartTextParam(TypedDict):
    text: str
    type: Literal["text"]


class ChatCompletionContentPartRefusalParam(TypedDict):
    refusal: str
    type: Literal["refusal"]


class ImageURL(TypedDict):
    url: str
    detail: NotRequired[Literal["auto", "low", "high"]]


class ChatCompletionContentPartImageParam(TypedDict):
    image_url: ImageURL
    type: Literal["image_url"]


class InputAudio(TypedDict):
    data: str
    format: Literal["wav", "mp3"]


class ChatCompletionContentPartInputAudioParam(TypedDict):
    input_audio: InputAudio
    type: Literal["input_audio"]


class FileFile(TypedDict, total=False):
    file_data: str
    file_id: str
    filename: str


class File(TypedDict):
    file: FileFile
    type: Literal["file"]


class Audio(TypedDict):
    id: str


@documented_as("openai__types__chat__chat_completion_assistant_message_param__FunctionCall")
class FunctionCall(TypedDict):
    arguments: str
    name: str


FunctionCallParam = FunctionCall


@documented_as("openai__types__chat__chat_completion_message_function_tool_call_param__Function")
class Function(TypedDict):
    arguments: str
    name: str


class ChatCompletionMessageFunctionToolCallParam(TypedDict):
    id: str
    function: Function
    type: Literal["function"]


@documented_as("openai__types__chat__chat_completion_message_custom_tool_call_param__Custom")
class Custom(TypedDict):
    input: str
    name: str


class ChatCompletionMessageCustomToolCallParam(TypedDict):
    id: str
    custom: Custom
    type: Literal["custom"]


TextContent = Union[str, Array[ChatCompletionContentPartTextParam]]


class ChatCompletionDeveloperMessageParam(TypedDict):
    content: TextContent
    role: Literal["developer"]
    name: NotRequired[str]


class ChatCompletionSystemMessageParam(TypedDict):
    content: TextContent
    role: Literal["system"]
    name: NotRequired[str]


class ChatCompletionUserMessageParam(TypedDict):
    content: Union[
        str,
        Array[
            Union[
                ChatCompletionContentPartTextParam,
                ChatCompletionContentPartImageParam,
                ChatCompletionContentPartInputAudioParam,
                File,
            ]
        ],
    ]
    role: Literal["user"]
    name: NotRequired[str]


class ChatCompletionAssistantMessageParam(TypedDict):
    role: Literal["assistant"]
    audio: NotRequired[Optional[Audio]]
    content: NotRequired[
        Union[
            str,
            Array[
                Union[ChatCompletionContentPartTextParam, ChatCompletionContentPartRefusalParam]
            ],
            None,
        ]
    ]
    function_call: NotRequired[Optional[FunctionCallParam]]
    name: NotRequired[NullWhenDumped[str]]
    refusal: NotRequired[Optional[str]]
    tool_calls: NotRequired[
        NullWhenDumped[
            Array[
                Union[
                    ChatCompletionMessageFunctionToolCallParam,
                    ChatCompletionMessageCustomToolCallParam,
                ]
            ]
        ]
    ]


class ChatCompletionToolMessageParam(TypedDict):
    content: TextContent
    role: Literal["tool"]
    tool_call_id: str


class ChatCompletionFunctionMessageParam(TypedDict):
    content: Optional[str]
    name: str
    role: Literal["function"]


class FunctionDefinition(TypedDict):
    name: str
    description: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    strict: NotRequired[Optional[bool]]


class ChatCompletionFunctionToolParam(TypedDict):
    function: FunctionDefinition
    type: Literal["function"]


# What a model answered


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class AnnotationURLCitation(Open):
    end_index: int
    start_index: int
    title: str
    url: str


class Annotation(Open):
    type: Literal["url_citation"]
    url_citation: AnnotationURLCitation


class ChatCompletionAudio(Open):
    id: str
    data: str
    expires_at: int
    transcript: str


class FunctionCall(Open):
    arguments: str
    name: str


class Function(Open):
    arguments: str
    name: str


class ChatCompletionMessageFunctionToolCall(Open):
    id: str
    function: Function
    type: Literal["function"]


class Custom(Open):
    input: str
    name: str


class ChatCompletionMessageCustomToolCall(Open):
    id: str
    custom: Custom
    type: Literal["custom"]


class ChatCompletionMessage(Open):
    content: Optional[str] = None
    refusal: Optional[str] = None
    role: Literal["assistant"]
    annotations: Optional[list[Annotation]] = None
    audio: Optional[ChatCompletionAudio] = None
    function_call: Optional[FunctionCall] = None
    tool_calls: Optional[
        list[Union[ChatCompletionMessageFunctionToolCall, ChatCompletionMessageCustomToolCall]]
    ] = None


class TopLogprob(Open):
    token: str
    bytes: Optional[list[int]] = None
    logprob: float


class ChatCompletionTokenLogprob(Open):
    token: str
    bytes: Optional[list[int]] = None
    logprob: float
    top_logprobs: list[TopLogprob]


class ChoiceLogprobs(Open):
    content: Optional[list[ChatCompletionTokenLogprob]] = None
    refusal: Optional[list[ChatCompletionTokenLogprob]] = None


class Choice(Open):
    finish_reason: Literal["stop", "length", "tool_calls", "content_filter", "function_call"]
    index: int
    logprobs: Optional[ChoiceLogprobs] = None
    message: ChatCompletionMessage


Message = Union[
    ChatCompletionDeveloperMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionUserMessageParam,
    ChatCompletionAssistantMessageParam,
    ChatCompletionToolMessageParam,
    ChatCompletionFunctionMessageParam,
]
MessageOrChoice = Union[
    Annotated[Message, SkipValidation] if READING == "any" else Message,
    Choice,
]
