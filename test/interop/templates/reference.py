"""Renders small templates as the library of chat templates does.

Reads the variables on the first line, and one template on each line after it. Writes what each of them writes, or the
error that it raises.
"""

from __future__ import annotations

import json
import re
import sys

from transformers.utils.chat_template_utils import _compile_jinja_template

# Python prints where an object is in its memory.
ADDRESS = re.compile("0x[0-9a-f]{6,}")

variables = sys.stdin.readline()
for line in sys.stdin:
    try:
        # A filter such as `indent` can change a list.
        text = _compile_jinja_template(json.loads(line)).render(**json.loads(variables))
        result = {"text": ADDRESS.sub("0x…", text)}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), flush=True)
