"""Written by svtrain-emulator explore. It starts programs faster, and shortens their pauses."""
# It is the sitecustomize.py of an exploration: Python loads it before a program.
#
# - Pauses (time.sleep, asyncio.sleep) take a fraction of their time. Their order stays. What the program pauses also
#   passes on its clocks, and for timers of a minute or more.
# - With SVTRAIN_TEMPLATE, it runs the imports at the top of the program and waits. Each line on stdin then asks for a
#   copy of the process (fork), in which the program runs as if Python had just started.
# - No thread of a library is in a copy, so what the library does at the end may wait for ever. When the program and its
#   own handlers are over, a copy says so, and is killed if it does not end soon. It has the exit code of the program.
#
# A file of the same name that the program would load comes first.

import os
import sys
import time


def _load_other():
    here = os.path.dirname(os.path.abspath(__file__))
    # So that explore knows that this Python loads it.
    open(os.path.join(here, "loaded"), "a").close()
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours


def _shorten_pauses(pace):
    import asyncio.tasks

    pause, pause_task, call_at = time.sleep, asyncio.tasks.sleep, asyncio.BaseEventLoop.call_at
    now, date = time.monotonic, time.time
    loop_file = asyncio.BaseEventLoop.call_later.__code__.co_filename
    # What pauses were cut by, the real time up to which that counts them, and the long timers.
    skipped, counted, limits = 0.0, 0.0, []

    def skip(began, end):
        nonlocal skipped, counted
        # Pauses at the same time count once.
        cut = (pace - 1) * (now() - max(began, counted))
        skipped += max(0.0, min(cut, end - time.monotonic()))
        counted = now()
        for limit in [each for each in limits if each[0] <= time.monotonic()]:
            limits.remove(limit)
            _, loop, timer = limit
            if not loop.is_closed():
                loop.call_soon_threadsafe(_end_timer, timer)

    def sleep(seconds, /):
        if not isinstance(seconds, (int, float)):
            return pause(seconds)
        began, end = now(), time.monotonic() + seconds
        pause(seconds / pace)
        if _is_of_program(sys._getframe(1)):
            skip(began, end)

    async def sleep_task(delay, result=None):
        if not _is_of_program(sys._getframe(1)):
            return await pause_task(delay / pace, result)
        end = time.monotonic() + delay
        while True:
            began = now()
            # A second at most, so that what limits a pause can end it.
            await pause_task(min((end - time.monotonic()) / pace, 1 / pace))
            skip(began, end)
            if time.monotonic() >= end:
                return result

    def is_loop():
        """Whether the loop itself calls. Its timers are in real time."""
        return sys._getframe(2).f_code.co_filename == loop_file

    def loop_time(loop):
        return now() if is_loop() else time.monotonic()

    def call_at_soon(loop, when, callback, *args, context=None):
        real = when if is_loop() else when - skipped
        timer = call_at(loop, real, callback, *args, context=context)
        # Shorter timers limit calls, and these take their time.
        if real - now() >= 60:
            limits[:] = [each for each in limits if not each[2].cancelled()]
            limits.append((real + skipped, loop, timer))
        return timer

    for short, full in ((sleep, pause), (sleep_task, pause_task)):
        short.__name__ = short.__qualname__ = "sleep"
        short.__doc__ = full.__doc__
    time.sleep = sleep
    time.monotonic, time.time = (lambda: now() + skipped), (lambda: date() + skipped)
    asyncio.sleep = asyncio.tasks.sleep = sleep_task
    asyncio.BaseEventLoop.time, asyncio.BaseEventLoop.call_at = loop_time, call_at_soon


def _end_timer(timer):
    if timer._scheduled and not timer.cancelled():
        timer._run()
        timer.cancel()


def _is_of_program(frame):
    """Whether code that is not installed is among the callers: a thread of a library has none."""
    while frame is not None and _is_installed_at(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None


def _is_installed(name):
    import importlib.util

    spec = importlib.util.find_spec(name.partition(".")[0])
    if spec is None:
        return False
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or [])
    return bool(places) and all(map(_is_installed_at, places))


def _is_installed_at(place):
    """Whether a file is not a part of the program."""
    if place in ("built-in", "frozen") or place.startswith("<frozen "):
        return True
    if "site-packages" in place or "dist-packages" in place:
        return True
    return os.path.realpath(place).startswith(os.path.realpath(os.path.dirname(os.__file__)))


def _note_modules():
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
        if frame is not None and not _is_installed_at(frame.f_code.co_filename):
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
            installed[top] = _is_installed(top)
        if not installed[top]:
            continue
        try:
            importlib.import_module(name)
        except Exception:
            # Some modules are made in other ways than by an import.
            continue


def _import_first(program):
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
            if not all(_is_installed(name) for name in names):
                break
            code = ast.Module([statement], [])
            exec(compile(code, program, "exec"), {"__name__": "svtrain_imports"})
        _import_noted(program)
    finally:
        del sys.path[0]


def _say(place, facts):
    import json

    os.write(place, (json.dumps(facts) + "\n").encode())


def _serve():
    """Fork for each request. Returns in the copy, and never in this process."""
    import gc
    import json
    import select
    import threading
    import warnings

    reply = 3
    began = time.process_time()
    found = dict(os.environ)
    _import_first(sys.argv[0])
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


_load_other()
if "SVTRAIN_PACE" in os.environ:
    _shorten_pauses(float(os.environ["SVTRAIN_PACE"]))
if os.environ.pop("SVTRAIN_TEMPLATE", None):
    _serve()
elif sys.argv[0].endswith(".py"):
    _note_modules()
