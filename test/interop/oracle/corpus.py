"""Write the corpus of requests that the emulator and the framework are compared on.

Every case is put down here by subject, so that a reader sees what is covered and what is not. Run it
after a change, then record.py:

    python corpus.py && python record.py
"""

import base64
import copy
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

FIXTURES = Path(__file__).parents[2] / "fixtures" / "validation"

cases: list[dict[str, Any]] = []

JSON = {"authorization": "Bearer k", "content-type": "application/json"}
KEY = {"authorization": "Bearer k"}


def add(name: str, method: str, path: str, body: Any = None, *, headers: Any = None, raw: Any = None):
    """One request: with a body to encode, a raw body (text or bytes), or none."""
    case: dict[str, Any] = {"name": name, "method": method, "path": path}
    has_body = body is not None or raw is not None
    case["headers"] = headers if headers is not None else (JSON if has_body else KEY)
    if isinstance(raw, bytes):
        case["base64"] = base64.b64encode(raw).decode()
    elif raw is not None:
        case["body"] = raw
    elif body is not None:
        case["body"] = json.dumps(body, ensure_ascii=False)
    cases.append(case)


def put(target: Any, path: list[Any], value: Any) -> Any:
    """A copy of `target` with the value at `path`; GONE removes it."""
    result = copy.deepcopy(target)
    here = result
    for step in path[:-1]:
        here = here[step]
    if value is GONE:
        here.pop(path[-1], None)
    else:
        here[path[-1]] = value
    return result


class Gone:
    def __repr__(self) -> str:
        return "absent"


GONE = Gone()


def vary(operation: str, path: list[Any], values: list[Any]):
    """The operation's good body with something else at `path`, one case for each value."""
    method, url, good = GOOD[operation]
    where = ".".join(str(step) for step in path)
    for value in values:
        shown = "absent" if value is GONE else json.dumps(value, ensure_ascii=False)
        name = f"{operation}: {where} = {shown if len(shown) < 60 else shown[:57] + '...'}"
        add(name, method, url, put(good, path, value))


# Values that say something about a type


ID = "0d2f7a1e-5a6b-4c3d-8e9f-000000000001"

NOT_STRINGS = [GONE, None, 1, 1.5, True, [], {}]
STRINGS = ["", " ", "é😀", "\u0000", "x" * 300]
NOT_OBJECTS = [GONE, None, 1, "x", True, []]
NOT_LISTS = [GONE, None, 1, "x", True, {}, {"0": 1}]

INTEGERS = [0, -1, 2**31, 2**53, True, False, 1.0, -0.0, -3.0, 1.5, -0.1, 1e-9]
INTEGER_TEXTS = [
    "2", " 2 ", "\t2\n", "+2", "-2", "+-2", "--2", "- 2", "007", "-007", "1_000", "1__000", "_1",
    "1_", "1.0", "1.00", "1.", ".0", "1.5", "1e3", "0x10", "", " ", "-", "+", "abc", "true", "٣",
    "１", "\u00a05", "\u20035", "\ufeff5", "\u00855", "5\u0000", "0-5", "0__5", "inf", "nan",
    "9" * 15, "1" * 4301,
]  # fmt: skip
NOT_INTEGERS = [None, [], {}, [1]]

NUMBERS = [0, 1, -1, 1.5, -0.5, 1e300, 1e-300, True, False]
NUMBER_TEXTS = [
    "1", " 1.5 ", "1_000.5", "1__0", "_1", "1_", "1.", ".5", "-.5", ".", "", "e5", "1e5", "1E-5",
    "1e", "1,5", "0x1", "+1", "+-1", "abc", "٣", "1 2", "\u00a01",
]  # fmt: skip

BOOLEANS = [
    True, False, 0, 1, 0.0, 1.0, "0", "1", "true", "TRUE", "tRue", "t", "T", "yes", "y", "on", "ON",
    "false", "f", "no", "n", "off", "OFF",
]  # fmt: skip
NOT_BOOLEANS = [None, 2, -1, 1.5, 2**70, "", "2", " true", "true ", "ja", "nope", [], {}, [True]]

UUIDS = [
    ID, ID.upper(), ID.replace("-", ""), ID.replace("-", "").upper(), "{" + ID + "}",
    "urn:uuid:" + ID, "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
]  # fmt: skip
NOT_UUIDS = [
    *NOT_STRINGS, "", "x", "é", "😀", "a😀", "not-a-uuid", "0d2f", "0d2f-1", "-", "----", "{", "{}", "a}",
    "{x}", "urn:uuid:", "urn:uuid:x", "urn:uuid:0d2f", "URN:UUID:" + ID, " " + ID, ID + " ", ID[:-1],
    ID + "0", ID[1:], "{" + ID, ID + "}", "{" + ID.replace("-", "") + "}",
    "{" + ID[:-1] + "g}", "urn:uuid:" + ID[:-1] + "g", "urn:uuid:" + ID[:-1], ID.replace("a", "g"),
    ID.replace("-", "_"), ID[:8] + ID[9:], ID[:12] + "0" + ID[12:], "0d2f7a1e-5a6b-4c3d-8e9f0-00000000001",
    "-" * 36, "x" * 32, "0" * 31, "0" * 33, "{{" + ID[2:] + "}", "\n", "`",
]  # fmt: skip

DATE_TIMES = [
    "2026-01-01T00:00:00Z", "2026-01-01T00:00:00z", "2026-01-01t00:00:00", "2026-01-01 00:00",
    "2026-01-01_00:00:00", "2026-01-01T00:00:00.1", "2026-01-01T00:00:00,123456",
    "2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00-0130",
    "2026-01-01T00:00:00\u221201:00", "2026-01-01T23:59:59+23:59", "2026-01-01", "2024-02-29",
    "0001-01-01", "9999-12-31T23:59:59", 0, 1, 1.5, -1, 1767225600, 1767225600000, 20000000000,
    20000000001, -62135596800000, 253402300799999, "1767225600", "1767225600.5", "-1.5", "+1",
    "1767225600000", ".5", "1.", "1.5e3",
]  # fmt: skip
NOT_DATE_TIMES = [
    None, True, False, [], {}, "", "x", "now", "2026", "2026-1-1", "2026/01/01", "2026-01/01",
    "2026-13-01", "2026-00-01", "2026-01-32", "2026-01-00", "2026-02-29", "2026-04-31", "a026-01-01",
    "2026-a1-01", "2026-01-a1", "é026-01-01", " 2026-01-01", "2026-01-01 ", "2026-01-01T",
    "2026-01-01Tx", "2026-01-01T1", "2026-01-01T24:00", "2026-01-01T00:60", "2026-01-01T00:00:60",
    "2026-01-01T00:00:00.", "2026-01-01T00:00:00+1", "2026-01-01T00:00:00+01",
    "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00ZZ",
    "2026-01-01X00:00", "0000-01-01", "0000-01-01T00:00", "0000-13-01", "1e5", "1_000", " 1",
    "253402300800000", "-62135596800001", "-99999999999999999", 253402300800000, -62135596800001,
    -62167219200001, 10**18, -(10**18), 1e300,
]  # fmt: skip


# A good body of every kind


TOKEN = {"token": "a", "bytes": [97], "logprob": -0.5, "top_logprobs": []}
CHOICE = {
    "finish_reason": "stop",
    "index": 0,
    "logprobs": None,
    "message": {"role": "assistant", "content": "4"},
}
USER = {"role": "user", "content": "2 + 2?"}
TOOL = {"type": "function", "function": {"name": "add"}}
TRAJECTORY = {"messages_and_choices": [USER, CHOICE], "reward": 1.0}

GOOD: dict[str, tuple[str, str, Any]] = {
    "chat": ("POST", "/v1/chat/completions", {"model": "m", "messages": [USER]}),
    "slashed chat": ("POST", "/v1/chat/completions/", {"model": "m", "messages": [USER]}),
    "create model": (
        "POST",
        "/v1/preview/models",
        {"entity": "e", "project": "p", "name": "n", "base_model": "b", "return_existing": True},
    ),
    "delete checkpoints": ("DELETE", f"/v1/preview/models/{ID}/checkpoints", {"steps": [1, 2]}),
    "log": (
        "POST",
        f"/v1/preview/models/{ID}/log",
        {"split": "val", "trajectory_groups": [{"trajectories": [TRAJECTORY]}]},
    ),
    "create job": (
        "POST",
        "/v1/preview/training-jobs",
        {"model_id": ID, "trajectory_groups": [{"trajectories": [TRAJECTORY]}]},
    ),
    "create sft job": (
        "POST",
        "/v1/preview/sft-training-jobs",
        {"model_id": ID, "training_data_url": "artifact:///e/p/n:v0"},
    ),
}
SMALL = {"model_id": ID, "trajectory_groups": [{"trajectories": [{}]}]}

for operation, (method, url, good) in GOOD.items():
    add(f"{operation}: good", method, url, good)
    add(f"{operation}: extra fields", method, url, {**good, "extra": 1, "__proto__": {"x": 1}})
    add(f"{operation}: empty object", method, url, {})
    add(f"{operation}: no body", method, url)
    add(f"{operation}: no body, JSON type", method, url, headers=JSON)
    add(f"{operation}: null", method, url, raw="null")
    add(f"{operation}: array", method, url, raw="[]")
    add(f"{operation}: JSON string", method, url, raw='"{}"')
    add(f"{operation}: broken JSON", method, url, raw='{"a": ')

# Chat

vary("chat", ["model"], [*NOT_STRINGS, *STRINGS])
vary("chat", ["messages"], [*NOT_LISTS, [], [1], ["x", {}, None], [[]], [{}], [{"any": ["thing"]}]])
vary("slashed chat", ["messages"], [GONE, None, [1]])
add("chat: other fields come along", *GOOD["chat"][:2],
    {**GOOD["chat"][2], "stream": True, "n": "many", "tools": None, "__proto__": 1, "constructor": 2})

# Create model

for field in ["entity", "project", "name", "base_model"]:
    vary("create model", [field], [*NOT_STRINGS, *STRINGS])
vary("create model", ["return_existing"], [GONE, *BOOLEANS, *NOT_BOOLEANS])
for index, body in enumerate([
    {"project": None, "name": None, "base_model": None},
    {"entity": 1, "project": 2, "name": 3, "base_model": 4, "return_existing": 5},
    {"return_existing": None, "base_model": [], "entity": {}},
    {"name": {"deep": [1, {"er": None}]}, "project": ["x"]},
    {"__proto__": {"project": "p", "name": "n", "base_model": "b"}},
]):  # fmt: skip
    add(f"create model: several problems {index}", *GOOD["create model"][:2], body)

# Delete checkpoints

vary("delete checkpoints", ["steps"], [*NOT_LISTS, [], *([value] for value in INTEGERS)])
vary("delete checkpoints", ["steps"], [[value] for value in [*INTEGER_TEXTS, *NOT_INTEGERS]])
vary("delete checkpoints", ["steps"], [[1, "x", 2, None, 1.5], [1, 1, 1], ["a", ["b"], {}]])

# Create SFT job

for value in [*UUIDS, *NOT_UUIDS]:
    vary("create sft job", ["model_id"], [value])
vary("create sft job", ["training_data_url"], [*NOT_STRINGS, ""])
vary("create sft job", ["config"], [*NOT_OBJECTS, {}, {"assistant_turns": "all"}])
vary("create sft job", ["experimental_config"], [*NOT_OBJECTS, {}, {"a": {"b": [None]}}])
vary("create sft job", ["config"], [{"batch_size": value} for value in
     [None, "auto", "AUTO", "", "8", "8.0", "x", *INTEGERS, [], {}]])  # fmt: skip
vary("create sft job", ["config"], [{"learning_rate": value} for value in
     [None, *NUMBERS, "0.1", "x", [], [0.1, 1], ["0.1"], ["x", None, {}], {}, [[0.1]]]])  # fmt: skip
vary("create sft job", ["config"], [{"metric_logging": value} for value in
     [None, {}, {"enabled": True, "target_training_step": 1}, 1, "x", [], True, {"enabled": None},
      {"enabled": "yes"}, {"enabled": "x"}, {"target_training_step": 5}, {"target_training_step": 0},
      {"target_training_step": -1}, {"target_training_step": None}, {"target_training_step": 1.5},
      {"target_training_step": "2"}, {"target_training_step": "x"}, {"enabled": True, "x": 1}]])  # fmt: skip
vary("create sft job", ["config"], [{"assistant_turns": value} for value in
     ["all", "last", "ALL", "first", "", None, 1, True, [], ["all"], {}]])  # fmt: skip
add("create sft job: as the newest client sends it", *GOOD["create sft job"][:2],
    {"model_id": ID, "training_data_url": "wandb-artifact:///local-team/demo/poet-sft-data-df6a272b8bfd:v0",
     "config": {"learning_rate": [5e-05, 1e-05], "assistant_turns": "all",
                "metric_logging": {"enabled": True, "target_training_step": 5}}})
add("create sft job: the older name of the data", *GOOD["create sft job"][:2],
    {"model_id": ID, "training_folder_url": "artifact:///e/p/n:v0"})
add("create sft job: everything wrong", *GOOD["create sft job"][:2],
    {"model_id": "x", "training_data_url": 1, "experimental_config": 1,
     "config": {"batch_size": "x", "learning_rate": "x", "metric_logging": "x"}})

# Create RL job

vary("create job", ["model_id"], [GONE, None, 1, "x", ID.upper()])
vary("create job", ["trajectory_groups"], [*NOT_LISTS, [], [1, None, "x", []], [{}],
     [{"trajectories": None}], [{"trajectories": {}}], [{"trajectories": []}],
     [{"trajectories": [1, None]}], [{"trajectories": [], "metadata": {}, "exceptions": []}]])  # fmt: skip
vary("create job", ["experimental_config"], [*NOT_OBJECTS, {}, {"unknown": 1}])

# What belongs to a group and not to one of its trajectories. A client leaves out what is empty.

EXCEPTION = {"type": "<class 'ValueError'>", "message": "no", "traceback": "Traceback ..."}


def each_group(field: str, values: list[Any]):
    for value in values:
        shown = json.dumps(value, ensure_ascii=False)
        add(f"create job: group, {field} = {shown if len(shown) < 60 else shown[:57] + '...'}",
            *GOOD["create job"][:2], {"model_id": ID, "trajectory_groups": [{field: value}]})


each_group("exceptions", [*NOT_LISTS[1:], [], [EXCEPTION], [EXCEPTION, EXCEPTION], [{}], [1, None],
    [put(EXCEPTION, ["type"], 1)], [put(EXCEPTION, ["message"], None)],
    [put(EXCEPTION, ["traceback"], GONE)], [{**EXCEPTION, "extra": 1}], [EXCEPTION, {}]])  # fmt: skip
each_group("metadata", [*NOT_OBJECTS[1:], {}, {"a": {"b": [1, None, {"c": "x"}]}, "d": None}, {"": []},
    {"__proto__": {"x": 1}}])  # fmt: skip
each_group("metrics", [*NOT_OBJECTS[1:], {}, {"a": 1, "b": 1.5, "c": True, "d": "2"}, {"a": "x"},
    {"a": None}, {"a": [], "b": {}}])  # fmt: skip
each_group("logs", [*NOT_LISTS[1:], [], ["a", ""], [1], ["a", None, 2]])
add("create job: group, only exceptions and metadata", *GOOD["create job"][:2],
    {"model_id": ID, "trajectory_groups": [{"exceptions": [EXCEPTION], "metadata": {"q": [None]}}, {}]})

NUMBER_SETTINGS = [
    "advantage_balance", "epsilon", "epsilon_high", "kimi_k2_tau", "kl_penalty_coef", "learning_rate",
    "max_negative_advantage_importance_sampling_weight",
    "num_trajectories_learning_rate_multiplier_power", "truncated_importance_sampling",
]  # fmt: skip
INTEGER_SETTINGS = [
    "kl_penalty_reference_step", "kl_penalty_step_lag", "logprob_calculation_chunk_size",
    "packed_sequence_length",
]  # fmt: skip
BOOLEAN_SETTINGS = [
    "allow_training_without_logprobs", "mask_prob_ratio", "normalize_advantages", "plot_tensors",
    "ppo", "precalculate_logprobs", "scale_learning_rate_by_reward_std_dev", "scale_rewards",
]  # fmt: skip
WORD_SETTINGS = {
    "importance_sampling_level": ["token", "sequence", "average", "geometric_average"],
    "kl_penalty_source": ["current_learner", "sample"],
    "loss_fn": ["cispo", "ppo"],
}
ALL_SETTINGS = [*NUMBER_SETTINGS, *INTEGER_SETTINGS, *BOOLEAN_SETTINGS, *WORD_SETTINGS,
                "kl_ref_adapter_path"]  # fmt: skip


def settings(name: str, config: Any):
    add(f"create job: settings, {name}", *GOOD["create job"][:2],
        {**SMALL, "experimental_config": config})


settings("all null", dict.fromkeys(ALL_SETTINGS))
settings("all objects", dict.fromkeys(ALL_SETTINGS, {}))
settings("all text", dict.fromkeys(ALL_SETTINGS, "x"))
settings("all 1.5", dict.fromkeys(ALL_SETTINGS, 1.5))
settings("all true", dict.fromkeys(ALL_SETTINGS, True))
settings("all '1'", dict.fromkeys(ALL_SETTINGS, "1"))
settings("all good", {
    **dict.fromkeys(NUMBER_SETTINGS, 0.5), **dict.fromkeys(INTEGER_SETTINGS, 3),
    **dict.fromkeys(BOOLEAN_SETTINGS, False), **{name: words[0] for name, words in WORD_SETTINGS.items()},
    "kl_ref_adapter_path": "p"})  # fmt: skip
for name, words in WORD_SETTINGS.items():
    for word in [*words, words[0].upper(), "", " " + words[0], 1]:
        settings(f"{name} = {word!r}", {name: word})

# Trajectories, as logged


def trajectory(name: str, value: Any):
    add(f"log: trajectory, {name}", *GOOD["log"][:2],
        {"split": "val", "trajectory_groups": [{"trajectories": [value]}]})


def each_trajectory(field: str, values: list[Any]):
    for value in values:
        shown = json.dumps(value, ensure_ascii=False)
        trajectory(f"{field} = {shown if len(shown) < 60 else shown[:57] + '...'}", {field: value})


vary("log", ["split"], [*NOT_STRINGS, "", "train", "é"])
trajectory("empty", {})
for value in [1, None, "x", []]:
    trajectory(f"not an object but {value!r}", value)
each_trajectory("reward", [*NUMBERS, *NUMBER_TEXTS, None, [], {}])
add("log: trajectory, reward of 400 digits", *GOOD["log"][:2],
    {"split": "val", "trajectory_groups": [{"trajectories": [{"reward": 10**400}]}]})
each_trajectory("initial_policy_version", [None, 1, "1", 1.5, "x", [], True])
each_trajectory("final_policy_version", [None, 1.0, -1, "1.0", {}, ""])
each_trajectory("metrics", [{}, None, [], 1, {"a": 1, "b": 1.5, "c": True, "d": "2", "e": "yes"},
    {"a": None}, {"a": "x", "b": []}, {"": 1}, {"é/ü": -0.5}, {"__proto__": 1}, {"__proto__": None},
    {"a": {"b": 1}}, {"a": "nan "}])  # fmt: skip
each_trajectory("metadata", [{}, None, [], 1, {"a": 1, "b": 1.5, "c": True, "d": "2", "e": None},
    {"a": []}, {"a": {}, "b": "x", "c": [1]}, {"__proto__": {}}, {"constructor": "x"},
    {"q": "x", "nested": {"a": [1, None]}}])  # fmt: skip
each_trajectory("exchanges", [{}, None, [], "x", 1, True, {"chat_completions": []}, {"chat_completions": 1},
    {"unknown": [None]}, {"__proto__": [{}]}])  # fmt: skip
TIMES = {"start_time": "2026-11-22T03:16:49.306589Z", "end_time": "2026-11-22T03:16:50.266608Z", "model": "m"}
for wire, request, response in [
    ("chat_completions", {"messages": [USER], "model": "m", "logprobs": True, "return_token_ids": True},
     {"id": "chatcmpl-1", "choices": [{**CHOICE, "stop_reason": None, "token_ids": [21, 22]}],
      "prompt_token_ids": [11], "prompt_logprobs": None, "usage": {"completion_tokens": 2}}),
    ("completions", {"prompt": "hello", "model": "m", "logprobs": 1},
     {"id": "cmpl-1", "choices": [{"finish_reason": "stop", "index": 0, "text": "Hi!", "token_ids": [21]}]}),
    ("responses", {"input": "hello", "model": "m"},
     {"id": "resp_1", "created_at": 1700000000.0, "output": [], "token_generations": [{"output_indices": [0]}]}),
    ("messages", {"messages": [USER], "model": "m", "max_tokens": 5},
     {"id": "msg_1", "content": [{"text": "Hi!", "type": "text"}], "token_ids": [21, 22], "logprobs": [-0.1]}),
]:  # fmt: skip
    trajectory(f"exchanges of {wire}", {
        "exchanges": {wire: [{**TIMES, "request": request, "response": response}]}, "reward": 1.0,
        "metrics": {"duration": 0.17}, "metadata": {"q": "x", "nested": {"a": [1, None]}}})  # fmt: skip
each_trajectory("logs", [[], None, "x", ["a", 1, None], {}, ["é"]])
each_trajectory("tools", [None, [], 1, {}, [TOOL], [1], [None, TOOL], [{}], [{"type": "function"}],
    [{"type": "custom", "function": {"name": "f"}}], [{"type": "function", "function": 1}],
    [{"type": "function", "function": {}}], [{"function": {"name": 1, "description": None}}],
    [put(TOOL, ["function", "parameters"], {"type": "object", "properties": {}})],
    [put(TOOL, ["function", "parameters"], None)], [put(TOOL, ["function", "strict"], None)],
    [put(TOOL, ["function", "strict"], "yes")], [put(TOOL, ["function", "strict"], "maybe")],
    [{**TOOL, "extra": 1}]])  # fmt: skip
each_trajectory("additional_histories", [[], None, {}, [1], [{}],
    [{"messages_and_choices": [USER], "tools": None}], [{"messages_and_choices": None}],
    [{"messages_and_choices": [1], "tools": [1]}], [{"messages_and_choices": [], "tools": {}}]])  # fmt: skip
each_trajectory("start_time", [*DATE_TIMES, *NOT_DATE_TIMES])
each_trajectory("messages_and_choices", [None, {}, "x", []])
trajectory("extra fields", {**TRAJECTORY, "extra": 1})
trajectory("everything wrong", {
    "messages_and_choices": 1, "tools": 1, "additional_histories": 1, "reward": [],
    "initial_policy_version": [], "final_policy_version": [], "metrics": 1, "metadata": 1, "logs": 1,
    "start_time": [], "exchanges": 1})  # fmt: skip

# Messages and choices


def message(name: str, value: Any):
    trajectory(f"message, {name}", {"messages_and_choices": [value]})


def each_message(name: str, good: Any, path: list[Any], values: list[Any]):
    where = ".".join(str(step) for step in path)
    for value in values:
        shown = "absent" if value is GONE else json.dumps(value, ensure_ascii=False)
        message(f"{name}: {where} = {shown if len(shown) < 60 else shown[:57] + '...'}",
                put(good, path, value))


TEXT = {"type": "text", "text": "t"}
IMAGE = {"type": "image_url", "image_url": {"url": "u", "detail": "low"}}
AUDIO = {"type": "input_audio", "input_audio": {"data": "d", "format": "wav"}}
FILE = {"type": "file", "file": {"file_id": "f"}}
REFUSAL = {"type": "refusal", "refusal": "no"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CUSTOM_CALL = {"id": "c", "type": "custom", "custom": {"name": "f", "input": "i"}}

for value in [None, 1, "x", [], [USER], True, {}, {"role": "critic", "content": "x"}, {"role": "User", "content": "x"},
              {"role": None, "content": "x"}, {"role": 1}, {"role": ["user"]}, {"content": "x"}]:  # fmt: skip
    message(f"no variant: {json.dumps(value)}", value)
for role in ["developer", "system", "user"]:
    each_message(role, {"role": role, "content": "x"}, ["content"],
                 [GONE, None, 1, "", [], [TEXT], ["x"], [{"type": "text"}], {}])
    each_message(role, {"role": role, "content": "x", "name": "n"}, ["name"], ["", None, 1])
    message(f"{role}: extra", {"role": role, "content": "x", "extra": 1, "__proto__": {}})
    message(f"{role}: refusal part", {"role": role, "content": [REFUSAL]})
for part, inner in [(IMAGE, ["image_url"]), (AUDIO, ["input_audio"]), (FILE, ["file"])]:
    user = {"role": "user", "content": [TEXT, part]}
    message(f"user: {part['type']} part", user)
    each_message(f"user, {part['type']}", user, ["content", 1, "type"], [GONE, "text", 1])
    each_message(f"user, {part['type']}", user, ["content", 1, *inner], [GONE, None, "x", {}])
user = {"role": "user", "content": [IMAGE, AUDIO, FILE]}
each_message("user", user, ["content", 0, "image_url", "detail"], [GONE, "high", "ultra", None])
each_message("user", user, ["content", 1, "input_audio", "format"], [GONE, "mp3", "ogg"])
each_message("user", user, ["content", 2, "file", "file_id"], [GONE, None, 1])

assistant = {"role": "assistant", "content": "x"}
each_message("assistant", assistant, ["content"],
             [GONE, None, 1, [TEXT, REFUSAL], [IMAGE], [], [{"type": "refusal"}], {}])
for field, values in {
    "audio": [None, {"id": "a"}, {}, 1, {"id": 1}],
    "function_call": [None, {"name": "f", "arguments": "{}"}, {"name": "f"}, "x"],
    "name": [None, "n", 1],
    "refusal": [None, "no", 1],
    "tool_calls": [None, [], [CALL], [CUSTOM_CALL], [CALL, CUSTOM_CALL], [1], [{}], {},
                   [put(CALL, ["type"], "custom")], [put(CALL, ["function", "arguments"], {})],
                   [put(CALL, ["id"], None)], [put(CUSTOM_CALL, ["custom", "input"], 1)]],
}.items():  # fmt: skip
    each_message("assistant", assistant, [field], values)

tool = {"role": "tool", "content": "4", "tool_call_id": "c"}
message("tool: with a name", {**tool, "name": "add"})
each_message("tool", tool, ["tool_call_id"], [GONE, None, 1])
each_message("tool", tool, ["content"], [GONE, None, [TEXT], [IMAGE]])
function = {"role": "function", "content": "4", "name": "add"}
message("function", function)
each_message("function", function, ["content"], [GONE, None, [TEXT], 1])
each_message("function", function, ["name"], [GONE, None])

choice = put(CHOICE, ["logprobs"], {"content": [TOKEN], "refusal": None})
message("choice", choice)
each_message("choice", choice, ["finish_reason"],
             [GONE, None, "length", "tool_calls", "content_filter", "function_call", "abort", 1])
each_message("choice", choice, ["index"], [GONE, None, "0", 0.0, 0.5, True, -1])
each_message("choice", choice, ["message"], [GONE, None, 1, {}, {"role": "user", "content": "x"}])
each_message("choice", choice, ["logprobs"], [GONE, None, {}, 1, [], {"content": None}])
each_message("choice", choice, ["logprobs", "content"], [[], [1], {}, [TOKEN, {}], [TOKEN] * 3])
for field, values in {
    "token": [GONE, 1, ""],
    "bytes": [GONE, None, [], "x", ["97"], [1.5]],
    "logprob": [GONE, None, "-1.5", "x", 0, True, -9999.0],
    "top_logprobs": [GONE, None, [{"token": "b", "logprob": -1}], [{}], [1]],
    "extra": [1],
}.items():
    each_message("choice", choice, ["logprobs", "content", 0, field], values)
for field, values in {
    "content": [GONE, None, 1, [TEXT]],
    "refusal": [None, "no", 1],
    "role": [GONE, None, "user", "assistant"],
    "annotations": [None, [], [1], [{"type": "url_citation"}], [{"type": "url_citation",
        "url_citation": {"end_index": 1, "start_index": 0, "title": "t", "url": "u", "x": 1}}]],
    "audio": [None, {"id": "a", "data": "d", "expires_at": 1, "transcript": "t"}, {"id": "a"}],
    "function_call": [None, {"name": "f", "arguments": "{}", "x": 1}, {}],
    "tool_calls": [None, [], [CALL], [CUSTOM_CALL], [{**CALL, "x": 1}], [1], [{}],
                   [put(CALL, ["function"], None)], [put(CALL, ["type"], "x")]],
    "reasoning_content": ["hm"],
}.items():  # fmt: skip
    each_message("choice", choice, ["message", field], values)
message("choice: extra fields", {**choice, "stop_reason": None, "token_ids": [1], "__proto__": {"x": 1}})
message("choice: as the newest client dumps it", {**choice, "stop_reason": None, "token_ids": [21],
    "prompt_token_ids": [11, 12], "art_completion_tokens": 1, "art_completion_logprobs": [-0.5],
    "message": {"role": "assistant", "content": "4", "refusal": None, "annotations": None, "audio": None,
                "function_call": None, "tool_calls": None, "reasoning": None}})  # fmt: skip
message("a choice and a message at once", {**choice, **assistant})
message("a choice and a user message at once", {**choice, **USER, "name": "n"})
message("a choice and a message, both incomplete", {"role": "user", "message": {}})
add("log: several problems far apart", *GOOD["log"][:2], {
    "split": None,
    "trajectory_groups": [
        {"trajectories": [{"reward": "x"}, {}]},
        {},
        {"trajectories": [{"messages_and_choices": [USER, {"role": "tool", "content": "x"}]}, 1]},
    ],
})  # fmt: skip

# Query and path


CHECKPOINTS = f"/v1/preview/models/{ID}/checkpoints"
EVENTS = f"/v1/preview/training-jobs/{ID}/events"

for url, subject in [(CHECKPOINTS, "list checkpoints"), (EVENTS, "list events")]:
    add(f"{subject}: no query", "GET", url)
    for limit in ["1", "100", "0", "101", "-1", "5.0", "5.5", "", " 5", " 5 ", "+5", "%2B5", "1_0", "abc",
                  "1e2", "true", "٥", "0x5", "null", "99999999999999999999", "[5]", "007"]:  # fmt: skip
        add(f"{subject}: limit={limit}", "GET", f"{url}?limit={quote(limit, safe='+%')}")
    for order in ["asc", "desc", "up", "", "ASC", " asc", "asc,desc", "é"]:
        add(f"{subject}: order={order}", "GET", f"{url}?order={quote(order)}")
    for after in ["", "x", ID, "é😀", "a&b", "a+b", "%"]:
        add(f"{subject}: after={after}", "GET", f"{url}?after={quote(after)}")
    for query in ["limit=1&limit=2", "limit=x&limit=2", "limit=2&limit=x", "order=up&limit=0",
                  "limit=0&order=up&after=x", "order=asc&order=desc", "order=desc&order=up", "limit",
                  "limit=&order=", "Limit=0", "unknown=1", "&&", "limit=5&", "limit[]=5", "limit=5;order=up",
                  "limit=+5", "after=a+b", "limit=%35", "LIMIT=0&limit=3"]:  # fmt: skip
        add(f"{subject}: ?{query}", "GET", f"{url}?{query}")
for method, url in [("GET", "/v1/preview/models/{}/checkpoints"), ("DELETE", "/v1/preview/models/{}"),
                    ("GET", "/v1/preview/training-jobs/{}"), ("GET", "/v1/preview/training-jobs/{}/events")]:  # fmt: skip
    for value in ["x", "1", "null", ID.upper(), "not a uuid", "é", "a%2Fb"]:
        add(f"{method} {url}: {value}", method, url.format(quote(value, safe="%")))
add("list checkpoints: query wrong with a body", "GET", CHECKPOINTS + "?limit=0", {"x": 1})
add("delete checkpoints: path and body", "DELETE", "/v1/preview/models/%20/checkpoints?limit=0", {"steps": "x"})
add("delete model: a body is no matter", "DELETE", f"/v1/preview/models/{ID}", {"x": 1})
add("delete model: broken body is no matter", "DELETE", f"/v1/preview/models/{ID}", raw="{")
add("delete model: JSON type, no bytes", "DELETE", f"/v1/preview/models/{ID}", headers=JSON)

# JSON itself


def text(raw: Any):
    shown = raw if isinstance(raw, str) else repr(raw)
    shown = json.dumps(shown if len(shown) < 60 else shown[:57] + "...", ensure_ascii=False)
    add(f"JSON: {shown}", "POST", "/v1/preview/models", raw=raw)


for raw in [
    " ", "\n", "  \t\r\n ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{,}", '{"a"', '{"a":', '{"a":1',
    '{"a":1,', '{"a":1,}', '{"a" 1}', '{"a":1 "b":2}', "{a:1}", "{'a':1}", "{1:2}", '{"a":}', '{"a":,}',
    "nul", "nulll", "tru", "True", "None", "undefined", "NaN", "-NaN", "Infinity", "-Infinity", "+1", "-", "-a", "01",
    "1.", ".5", "1.e5", "1e", "1e+", "0x1", "1_000", "--1", '"', '"abc', '"a\nb"', '"a\tb"', '"\u0001"', '"\u007f"',
    '"\\x"', '"\\', '"\\u', '"\\u12"', '"\\u12g4"', '"\\u1234', '"\\ud83d\\ude00"', '"\\ud83d"', '"a" x',
    '"a""b"', "{}{}", "[] []", "1 2", "{}x", "{} ", " {}", "// {}", "/* */{}", "#", "é", "😀", '{"é":1 é}', '["😀", x]',
    '{"😀": "😀" 1}', "\u00a0{}", "\u2028{}", "\u0000", "{}\u0000", "<xml/>", "a=b&c=d", '{"a":1}\n{"b":2}',
    '{"project":"p","name":"n","base_model":"b","return_existing":NaN}',
    '{"project":"p","name":"n","base_model":"b","entity":Infinity}',
    '{"project":"p","name":"n","base_model":"b","x":NaN}',
    '{"project":"p","name":"n","base_model":"b","name":"m"}',
    '{"project":"p","name":"n","base_model":"b","name":1}',
    '{"project":"p","name":"\\ud83d\\ude00","base_model":"\\ud83d"}',
    '{"project":1e5,"name":-0,"base_model":-0.0}',
    "[" * 965 + "]" * 965, "[" * 965, "[" * 100_000,
]:  # fmt: skip
    text(raw)
for raw in [
    b"\xff", b'"\xff"', b"\xc3", b"\xf5\x80\x80\x80", b"\xc0\x80", b"{}\xff",
    b"\xef\xbb\xbf{}", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf{}", b"\xef\xbb",
    "{}".encode("utf-16"), "{}".encode("utf-16-le"), "{}".encode("utf-16-be"), "{}".encode("utf-32"),
    "{}".encode("utf-32-le"), "{}".encode("utf-32-be"), '{"project":"é😀"}'.encode("utf-16-be"),
    '{"project":"é😀" x}'.encode("utf-32-le"), b"{\x00}", b"1\x00", b"\x001", b"1\x00\x00", b"\x00\x00",
    b"\x00\x00\x00", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"{\x00}\x00\x00",
    b"\x00\x00\x00\x00\x11", b"{}\x00\x00",
]:  # fmt: skip
    text(raw)

for opening, closing in [("[", "]"), ('{"a":', "}")]:
    for depth in [963, 964, 5000]:
        nested = opening * depth + "1" + closing * depth
        add(f"JSON: {opening} {depth} deep in an object", "POST", "/v1/chat/completions",
            raw='{"model":"m","messages":[],"x":' + nested + "}")
add("JSON: half a surrogate pair in UTF-8", "POST", "/v1/preview/models", raw=b"\xed\xa0\x80")

# Content types

MODEL = {"project": "p", "name": "n", "base_model": "b"}
for kind in [
    "application/json", "application/json; charset=utf-8", "application/json;", "APPLICATION/JSON",
    "application/JSON ; x=y", "application/vnd.api+json", "application/+json", "application/x+JSON",
    "application/jsonx", "application/json5", "application/json-patch", "application/xml", "text/json",
    "text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data",
    "application/octet-stream", "json", "application", "application/", "/json", "application/json/x", "*/*",
    "application/json, text/plain", "application /json", "application/ json", ";application/json", "",
]:  # fmt: skip
    add(f"content type: {kind}", "POST", "/v1/preview/models", MODEL,
        headers={**KEY, "content-type": kind})
add("content type: none", "POST", "/v1/preview/models", MODEL, headers=KEY)
add("content type: text, no bytes", "POST", "/v1/preview/models", headers={**KEY, "content-type": "text/plain"})
add("content type: text, broken JSON", "POST", "/v1/preview/models", raw="{é",
    headers={**KEY, "content-type": "text/plain"})

# The order of key, body and fields

for scheme in ["none", "Bearer", "Bearer ", "Basic eDp5", "k", "bearer k", "BEARER k", "Bearer  k", "Token k"]:
    key = {} if scheme == "none" else {"authorization": scheme}
    kind = {"content-type": "application/json"}
    add(f"key {scheme!r}: good body", "POST", "/v1/preview/models", MODEL, headers={**key, **kind})
    add(f"key {scheme!r}: bad fields", "POST", "/v1/preview/models", {}, headers={**key, **kind})
    add(f"key {scheme!r}: bad query", "GET", CHECKPOINTS + "?limit=0", headers=key)
add("key 'none': broken JSON", "POST", "/v1/preview/models", raw="{", headers=kind)
add("key 'none': no text", "POST", "/v1/preview/models", raw=b"\xff", headers=kind)
add("key 'none': no body", "POST", "/v1/preview/models", headers=kind)

# Routes

for method, url in [
    ("GET", "/v1/health"), ("GET", "/v1/system-check"), ("GET", "/v1/preview/base-models"),
    ("HEAD", "/v1/health"), ("POST", "/v1/health"), ("GET", "/v1/health/"), ("GET", "/"), ("GET", "/v1"),
    ("GET", "/v1/nothing"), ("GET", "/v1/chat/completions"), ("GET", "/v1/preview/models"),
    ("PUT", "/v1/preview/models"), ("POST", "/v1/preview/models/"), ("GET", f"/v1/preview/models/{ID}"),
    ("PATCH", f"/v1/preview/models/{ID}/checkpoints"), ("GET", f"/v1/preview/models/{ID}/log"),
    ("DELETE", f"/v1/preview/training-jobs/{ID}"), ("GET", "/v1/preview/training-jobs"),
    ("GET", f"/v1/preview/sft-training-jobs/{ID}"), ("GET", f"{EVENTS}/"), ("GET", "//v1/health"),
    ("GET", "/V1/health"), ("OPTIONS", "/v1/preview/models"),
]:  # fmt: skip
    add(f"route: {method} {url}", method, url)


def main():
    seen: dict[str, int] = {}
    for case in cases:
        count = seen[case["name"]] = seen.get(case["name"], 0) + 1
        if count > 1:
            case["name"] += f" ({count})"
    FIXTURES.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
    (FIXTURES / "requests.json").write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} requests")


if __name__ == "__main__":
    main()
