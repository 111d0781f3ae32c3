"""Notes what a program imports, and imports it for the copies."""

import os
import sys

from svtrain_installed import is_installed, is_installed_at


def note():
    """Write down what the program loads until it sets a variable, for the copies to have it from the start."""
    import atexit
    import json

    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "modules")
    if os.path.exists(file):
        return
    loaded = []

    def watch(event, args):
        if loaded or event not in ("os.putenv", "os.unsetenv"):
            return
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename in (os.__file__, "<frozen os>"):
            frame = frame.f_back
        if frame is not None and not is_installed_at(frame.f_code.co_filename):
            loaded.extend(sys.modules)

    @atexit.register
    def write():
        with open(file, "a") as lines:
            lines.write(json.dumps([sys.argv[0], loaded or list(sys.modules)]) + "\n")

    sys.addaudithook(watch)


def _import_noted(program):
    import importlib
    import json

    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "modules")) as lines:
            noted = dict(map(json.loads, lines))
    except FileNotFoundError:
        return
    installed = {}
    for name in noted.get(program, ()):
        top = name.partition(".")[0]
        if name in sys.modules or top.startswith("__"):
            continue
        if top not in installed:
            installed[top] = is_installed(top)
        if not installed[top]:
            continue
        try:
            importlib.import_module(name)
        except Exception:
            # Some modules are made in other ways than by an import.
            continue


def import_first(program):
    """Run the imports of installed packages at the top of a program, up to the first other statement."""
    import ast

    with open(program, "rb") as file:
        body = ast.parse(file.read(), program).body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        del body[0]
    # Where Python will put it when the program runs.
    sys.path.insert(0, os.path.dirname(os.path.realpath(program)))
    try:
        for statement in body:
            if isinstance(statement, ast.Import):
                names = [alias.name for alias in statement.names]
            elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
                names = [statement.module]
            else:
                break
            if not all(is_installed(name) for name in names):
                break
            code = ast.Module([statement], [])
            exec(compile(code, program, "exec"), {"__name__": "svtrain_imports"})
        _import_noted(program)
    finally:
        del sys.path[0]
