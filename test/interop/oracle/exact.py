"""Record the exact text of the judge's answers about numbers, orders of keys, and what cannot be printed.

Writes exact.json beside requests.json. Unlike answers.json, it keeps answers as text, so that 1 and
1.0, integers of any size, and orders of keys stay apart.
"""

import json
import platform
from typing import Any

import fastapi
import pydantic
from fastapi.testclient import TestClient

from app import accepted, app
from corpus import FIXTURES

HEADERS = {"authorization": "Bearer k", "content-type": "application/json"}
ID = "0d2f7a1e-5a6b-4c3d-8e9f-000000000001"
MODELS = "/v1/preview/models"
LOG = f"{MODELS}/{ID}/log"
SFT = "/v1/preview/sft-training-jobs"
CHECKPOINTS = f"{MODELS}/{ID}/checkpoints"


def log_of(field: str) -> tuple[str, str, str]:
    return "POST", LOG, '{"split":"s","trajectory_groups":[{"trajectories":[{%s:@}]}]}' % (
        json.dumps(field)
    )


def sft_of(text: str) -> tuple[str, str, str]:
    return "POST", SFT, '{"model_id":"%s","training_data_url":"u",%s}' % (ID, text)


# What takes a value of each type. The value stands in for @.
PLACES = {
    "int": log_of("initial_policy_version"),
    "ints": ("DELETE", CHECKPOINTS, '{"steps":[@]}'),
    "float": log_of("reward"),
    "bool": ("POST", MODELS, '{"project":"p","name":"n","base_model":"b","return_existing":@}'),
    "str": ("POST", MODELS, '{"project":@,"name":"n","base_model":"b"}'),
    "time": log_of("start_time"),
    "metrics": (
        "POST",
        LOG,
        '{"split":"s","trajectory_groups":[{"trajectories":[{"metrics":{"m":@}}]}]}',
    ),
    "any": (
        "POST",
        LOG,
        '{"split":"s","trajectory_groups":[{"trajectories":[{"metadata":{"m":@}}]}]}',
    ),
    "uuid": ("POST", SFT, '{"model_id":@,"training_data_url":"u"}'),
    "literal": sft_of('"config":{"assistant_turns":@}'),
    "int or auto": sft_of('"config":{"batch_size":@}'),
    "float or list": sft_of('"config":{"learning_rate":@}'),
    "dict": sft_of('"experimental_config":@'),
    "model": sft_of('"config":@'),
    "list": log_of("logs"),
    "message": (
        "POST",
        LOG,
        '{"split":"s","trajectory_groups":[{"trajectories":[{"messages_and_choices":[@]}]}]}',
    ),
    "content": (
        "POST",
        LOG,
        '{"split":"s","trajectory_groups":[{"trajectories":[{"messages_and_choices":'
        '[{"role":"user","content":@}]}]}]}',
    ),
    "echo": ("DELETE", CHECKPOINTS, '{"steps":"no","echo":1,"steps":{"0":@}}'),
}

INTEGERS = [0, 1, 2, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64, 10**29]
INTEGERS += [10**22, 10**308, 2**1024 - 2**970 - 1, 2**1024 - 2**970, 2**1024, 10**399]
NUMBERS = [sign + str(each) for each in INTEGERS for sign in ("", "-")]
NUMBERS += [
    *("-0", "0.0", "-0.0", "1.0", "1E0", "10e-1", "1.5", "100.0", "9007199254740992.0"),
    *("9007199254740993.0", "1e15", "1e16", "1e17", "1e19", "1e21", "1e22", "1e100", "1e300"),
    *("-1e19", "9.223372036854775e18", "9223372036854775807.0", "9223372036854775808.0"),
    *("-9223372036854775808.0", "-9223372036854777856.0", "1e400", "-1e400", "1e-5", "1e-7"),
    *("0.0001", "0.00001234", "5e-324", "2.5e-10", "1.7976931348623157e308", "123456789012345678.5"),
    *("0.1", "1e-400", "-1e-400", "4.35", "2e10", "20000000001", "253402300799", "253402300800"),
    *("253402300799999", "253402300800000", "-62135596800", "-62135596801", "-62167219200"),
    *("-62167219201", "-62135596800000", "-62167219200001", "1.7e9", "2e13", "3e15"),
    *("NaN", "Infinity", "-Infinity"),
    *("1" + "0" * 4299, "1" + "0" * 4300, "-1" + "0" * 4299, "-1" + "0" * 4300),
    *("0." + "1" * 5000, "1" + "0" * 5000 + ".5", "1e" + "0" * 5000 + "1"),
]
TEXTS = [
    *("9007199254740993", "9223372036854775808", "1e19", "1e300", "1" + "0" * 29, "1.0"),
    *("9223372036854775808.0", "-9223372036854775809", "1" + "0" * 400, "0" * 5000 + "1"),
    *("0" * 4299 + "1", "0" * 4300 + "1", "1" * 4300, "1" * 4301, "-" + "1" * 4300, "nan", "inf"),
    *("1" * 4300 + ".0", "0" * 5000, "-" + "0" * 5000 + "1", "+" + "0" * 5000 + "1", " " * 5000 + "1"),
    *("0_" * 3000 + "1", "1" + "_1" * 3000, "1" + "." + "0" * 5000, "é", "\u2028", "\x7f", "\U0001f600"),
    *("x" * 5000, "1" * 4301 + "x", "1" * 4300 + "x", "+" + "1" * 4300, "-" + "1" * 4299),
    *("-0" + "1" * 4299, "-0" + "1" * 4300, "1" * 4301 + ".0", " " + "1" * 4301, "0-5", "1.5"),
    *(" 1_0", "1_0 ", "1_0", "inf_", "n_an", "18446744073709551616", "9223372036854775807"),
    *("\x01\x1f\"\\/\b\f\n\r\t", "_sa"),
]
STRINGS = [json.dumps(each) for each in TEXTS] + ['"\\ud800"', '"a\\udc00b"', '"\\ud83d\\ude00"', '"\\ude00\\ud83d"']
OTHERS = [
    *("true", "null", "[]", "{}", '{"b":1,"10":2.0,"a":3,"2":1e16}', '{"10":1,"9":2,"10":3}'),
    *("[1,1.0,1e0,[9007199254740993]]", '{"_sa_x":1,"b":2}', '{"":{"1":1,"0":0}}'),
    *('{"\\ud800":1}', '{"1":NaN}', '{"01":1,"-1":2,"1.0":3,"4294967295":4,"4294967294":5,"1":6}'),
    *('{"__proto__":1,"1":2,"0":3}', '{"b":"x","10":[]}'),
]

# Bodies with something of their own. Bytes are given in hexadecimal, after "hex:".
OWN: dict[str, tuple[str, str, str]] = {
    "order of entries": log_of("metrics")[:2]
    + (log_of("metrics")[2].replace("@", '{"b":"x","10":[],"a":{},"9":null,"b":"y"}'),),
    "order of literal keys": log_of("metadata")[:2]
    + (log_of("metadata")[2].replace("@", '{"b":1,"10":2},"reward":"no"'),),
    "order of unknown keys": ("POST", MODELS, '{"zz":1,"7":2,"project":1.0,"3":1e16}'),
    "both an unsafe step and a wrong one": ("DELETE", CHECKPOINTS, '{"steps":[1e19,"x",9007199254740993]}'),
    "float and wrong one": ("DELETE", CHECKPOINTS, '{"steps":[1.0,"x",2.5]}'),
    "chat: model is a number": (
        "POST",
        "/v1/chat/completions",
        '{"model":9007199254740993,"messages":[],"10":1,"2":1.0}',
    ),
    "chat: messages": (
        "POST",
        "/v1/chat/completions",
        '{"model":"m","messages":[{"10":1,"b":1e16},1.0,1e22,{"\\ud800":1}]}',
    ),
    "chat: key that is no text": ("POST", "/v1/chat/completions", '{"model":1,"messages":[],"\\ud800":1}'),
    "chat: key that is no text, accepted": (
        "POST",
        "/v1/chat/completions",
        '{"model":"m","messages":[],"\\ud800":1}',
    ),
    "long integer before broken JSON": ("POST", MODELS, '{"a":' + "1" * 4301 + ",}"),
    "broken JSON before long integer": ("POST", MODELS, '{"a":,' + "1" * 4301 + "}"),
    "long integer in a text": ("POST", MODELS, '{"project":"' + "1" * 9000 + '"}'),
    "long digits in a fraction": ("POST", MODELS, '{"project":0.' + "1" * 9000 + "}"),
    "top-level number": ("POST", MODELS, "1.0"),
    "top-level long number": ("POST", MODELS, "1" * 4301),
    "top-level NaN": ("POST", MODELS, "NaN"),
    "top-level null": ("POST", MODELS, "null"),
    "surrogate in UTF-8, refused": ("POST", MODELS, "hex:7b2270726f6a656374223a22eda080227d"),
    "surrogate in UTF-8, ignored": (
        "POST",
        MODELS,
        "hex:7b2270726f6a656374223a2270222c226e616d65223a226e222c22626173655f6d6f64656c223a2262222c"
        "2278223a22eda080227d",
    ),
    "surrogate in UTF-8, cut": ("POST", MODELS, "hex:7b2270726f6a656374223a22eda0227d"),
    "surrogate in UTF-8, refused elsewhere": (
        "POST",
        MODELS,
        "hex:7b2270726f6a656374223a5b22eda080225d7d",
    ),
    "surrogate in UTF-16": ("POST", MODELS, "hex:7b002200780022003a00220000d822007d00"),
    "surrogate in UTF-32": (
        "POST",
        MODELS,
        "hex:7b0000002200000078000000220000003a0000002200000000d80000220000007d000000",
    ),
    "top-level surrogate in UTF-8": ("POST", MODELS, "hex:eda080"),
    "surrogate and broken JSON": ("POST", MODELS, "hex:7b22eda080223a7d"),
}


def bytes_of(body: str) -> bytes:
    return bytes.fromhex(body[4:]) if body.startswith("hex:") else body.encode()


def ask(client: TestClient, method: str, path: str, body: str) -> dict[str, Any]:
    accepted.clear()
    request = client.build_request(method, path, headers=HEADERS, content=bytes_of(body))
    response = client.send(request, follow_redirects=False)
    answer: dict[str, Any] = {"status": response.status_code}
    if response.status_code != 200:
        answer["text"] = response.text
    elif path == CHECKPOINTS:
        answer["steps"] = str(accepted[-1].steps)
    return answer


def shortened(text: str) -> str:
    """Writes a long run of one character, or of two, as {{count×characters}}, to keep the file small."""
    for part in ("0_", "_1", "0", "1", " "):
        for count in (9000, 8999, 5001, 5000, 4999, 4301, 4300, 4299, 4298, 3000, 400, 399):
            text = text.replace(part * count, f"{{{{{count}×{part}}}}}")
    return text


def main():
    client = TestClient(app, raise_server_exceptions=False)
    judge = {
        "python": platform.python_version(),
        "fastapi": fastapi.__version__,
        "pydantic": pydantic.VERSION,
    }
    groups = []
    for name, (method, path, template) in {**PLACES, **OWN}.items():
        rows = []
        for value in [*NUMBERS, *STRINGS, *OTHERS] if name in PLACES else [""]:
            answer = ask(client, method, path, template.replace("@", value))
            told = {key: shortened(each) if key != "status" else each for key, each in answer.items()}
            rows.append(json.dumps({"value": shortened(value), **told}, ensure_ascii=False))
        group = {"name": name, "method": method, "path": path, "body": shortened(template)}
        groups.append(f'{json.dumps(group)[:-1]}, "answers": [\n' + ",\n".join(rows) + "\n]}")
    lines = ",\n".join(groups)
    (FIXTURES / "exact.json").write_text(f'{{"judge": {json.dumps(judge)}, "groups": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
