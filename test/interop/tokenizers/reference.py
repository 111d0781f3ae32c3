"""Tokens of conversations, by the libraries that define them.

Takes the folder of a tokenizer, and reads one request for a chat per line. Writes the ids of each prompt, and of the
answer that follows it, or the error of the template.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast

folder = Path(sys.argv[1])
config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
template = config["chat_template"]
special = {name: config.get(name) for name in ("bos_token", "eos_token", "pad_token", "unk_token")}
tokenizer = PreTrainedTokenizerFast(
    tokenizer_file=str(folder / "tokenizer.json"),
    clean_up_tokenization_spaces=False,
    **{name: token for name, token in special.items() if isinstance(token, str)},
)
# The server finds the same out from the loops of the template.
READS_PARTS = "for item in message['content']" in template


def content_of(message: dict[str, Any], *, parts: bool) -> Any:
    content = message.get("content")
    texts = [] if content is None else [content] if isinstance(content, str) else content
    texts = [text if isinstance(text, str) else text["text"] for text in texts]
    if parts:
        return [{"type": "text", "text": text} for text in texts]
    return "\n".join(texts)


def read(message: dict[str, Any]) -> dict[str, Any]:
    role = message["role"]
    read: dict[str, Any] = {
        "role": role,
        "content": content_of(message, parts=READS_PARTS and role != "tool"),
    }
    if message.get("tool_calls"):
        read["tool_calls"] = [
            {
                **call,
                "function": {
                    **call["function"],
                    "arguments": json.loads(call["function"]["arguments"]),
                },
            }
            for call in message["tool_calls"]
        ]
    if "tool_call_id" in message:
        read["tool_call_id"] = message["tool_call_id"]
    if message.get("reasoning") is not None:
        read["reasoning"] = read["reasoning_content"] = message["reasoning"]
    return read


def tool(given: dict[str, Any]) -> dict[str, Any]:
    function = given["function"]
    known = {name: function.get(name) for name in ("name", "description", "parameters")}
    return {"type": given["type"], "function": {**known, **function}}


def ids_of(text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False)


def answer_ids(prompt: str, answer: str) -> list[int]:
    before = ids_of(prompt)
    both = ids_of(prompt + answer)
    return both[len(before) :] if both[: len(before)] == before else ids_of(answer)


for line in sys.stdin:
    request = json.loads(line)
    tools = request.get("tools")
    try:
        prompt = tokenizer.apply_chat_template(
            [read(message) for message in request["messages"]],
            tools=[tool(each) for each in tools] if tools else None,
            chat_template=template,
            add_generation_prompt=True,
            tokenize=False,
            **request.get("chat_template_kwargs", {}),
        )
    except Exception as error:  # noqa: BLE001
        print(json.dumps({"error": str(error)}), flush=True)
        continue
    result = {"prompt": ids_of(prompt), "answer": answer_ids(prompt, request["answer"])}
    print(json.dumps(result), flush=True)
