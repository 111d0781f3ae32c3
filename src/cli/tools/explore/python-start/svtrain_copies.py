"""Runs a program in copies of a process that has its imports."""
# The process runs the imports at the top of the program and waits. Each line on stdin then asks for a copy (fork), in
# which the program runs as if Python had just started.
#
# No thread of a library is in a copy, so what the library does at the end may wait for ever. When the program and its
# own handlers are over, a copy says so, and is killed if it does not end soon. It has the exit code of the program.

import os
import sys
import time

from svtrain_modules import import_first


def _say(place, facts):
    import json

    os.write(place, (json.dumps(facts) + "\n").encode())


def serve():
    """Fork for each request. Returns in the copy, and never in this process."""
    import gc
    import json
    import select
    import threading
    import warnings

    reply = 3
    began = time.process_time()
    found = dict(os.environ)
    import_first(sys.argv[0])
    set_by_imports = _changes(found, os.environ)
    if threading.active_count() > 1:
        _say(reply, {"refused": "a thread runs after its imports"})
        os._exit(0)
    # No copy looks for garbage among what they all have, which takes most of the time at its end.
    gc.freeze()
    _say(reply, {"ready": time.process_time() - began})
    over, say = os.pipe()
    # How long a copy may still take when its program is over. What held one will hold the next one.
    patience = 5
    lines, ends, pending, running = b"", b"", [], {}
    while True:
        readable = select.select([0, over], [], [], 0.01 if running else None)[0]
        if 0 in readable:
            read = os.read(0, 65536)
            if not read:
                os._exit(0)
            *asked, lines = (lines + read).split(b"\n")
            pending += [json.loads(line) for line in asked]
        if over in readable:
            *ended, ends = (ends + os.read(over, 65536)).split(b"\n")
            for pid, code in map(json.loads, ended):
                if pid in running:
                    running[pid] = code, time.monotonic() + patience
        for each, (code, limit) in list(running.items()):
            pid, status = os.waitpid(each, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
            elif limit is None or time.monotonic() < limit:
                continue
            else:
                patience = 1
                os.kill(each, 9)
                os.waitpid(each, 0)
            del running[each]
            _say(reply, {"pid": each, "code": code})
        while pending:
            request = pending.pop(0)
            with warnings.catch_warnings():
                # Threads of libraries that wait for work are no danger.
                warnings.simplefilter("ignore")
                pid = os.fork()
            if pid == 0:
                _become(request, found, set_by_imports)
                return _run_next(say)
            running[pid] = None, None
            _say(reply, {"started": pid})


def _changes(before, after):
    names = before.keys() | after.keys()
    return {name: after.get(name) for name in names if before.get(name) != after.get(name)}


def _become(request, found, set_by_imports):
    os.setsid()
    env = request["env"]
    os.environ.clear()
    os.environ.update(env)
    for name, value in set_by_imports.items():
        # Imports that find the same would do the same again.
        if env.get(name) != found.get(name):
            continue
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    os.chdir(request["cwd"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    out, err = (
        os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for name in ("stdout", "stderr")
    )
    for place, file in enumerate((nothing, out, err)):
        os.dup2(file, place)
        os.close(file)
    os.close(3)
    numbers = sys.modules.get("numpy.random")
    if numbers is not None:
        numbers.seed()


def _run_next(say):
    """Run the program when Python asks how: it looks for an importer of the file before it runs it."""
    program = os.path.realpath(sys.argv[0])

    def run(path):
        if os.path.realpath(path) != program:
            raise ImportError
        sys.path_hooks.remove(run)
        _run(path, say)

    sys.path_hooks.insert(0, run)


def _run(path, say):
    """Do what Python does with a program, and leave with its exit code."""
    import atexit
    import threading
    from importlib.machinery import SourceFileLoader

    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    names = vars(sys.modules["__main__"])
    names.update(__file__=path, __cached__=None, __loader__=SourceFileLoader("__main__", path))
    code = 0

    # The handlers of the program come before it, and those of its imports after it.
    @atexit.register
    def say_end():
        _write_all()
        _say(say, [os.getpid(), code])

    try:
        with open(path, "rb") as file:
            source = file.read()
        exec(compile(source, path, "exec", dont_inherit=True), names)
    except SystemExit as end:
        code = _code_of(end.code)
    except BaseException as error:
        code = 130 if isinstance(error, KeyboardInterrupt) else 1
        # Without the frame of this function.
        error.__traceback__ = error.__traceback__.tb_next
        sys.last_exc = sys.last_value = error
        sys.last_type, sys.last_traceback = type(error), error.__traceback__
        sys.excepthook(type(error), error, error.__traceback__)
    threading._shutdown()
    atexit._run_exitfuncs()
    _write_all()
    os._exit(code)


def _code_of(given):
    if given is None or isinstance(given, int):
        return (given or 0) & 0xFF
    print(given, file=sys.stderr)
    return 1


def _write_all():
    """Write what files still hold, as Python does when it ends."""
    import gc
    import io

    kind = io.TextIOWrapper.__mro__[-2]
    for each in [sys.stdout, sys.stderr, *gc.get_objects()]:
        try:
            if issubclass(type(each), kind) and not each.closed:
                each.flush()
        except Exception:
            continue
