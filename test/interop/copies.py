"""Runs programs in copies of a Python that has imported modules, so that the imports run once for all programs.

`copies.py serve <socket> <module>…` is that Python, until its input ends. It imports with the first program.
`copies.py run <socket> <program> <argument>…` runs a program in a copy, with the variables, the folder and the streams
of this command.
"""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import warnings


def run(path, *argv):
    asked = json.dumps({"argv": argv, "env": dict(os.environ), "cwd": os.getcwd()}).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [len(asked).to_bytes(8)], [0, 1, 2])
        server.sendall(asked)
        sys.exit(int(server.makefile().read()))


def serve(path, *modules):
    found = dict(os.environ)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    print("ready", flush=True)
    while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
        visitor = server.accept()[0]
        for module in modules:
            importlib.import_module(module)
        # A copy that collects what the imports left would copy all of their memory.
        gc.freeze()
        if fork() == 0:
            server.close()
            return answer(visitor, found)
        visitor.close()
        count_ended()
    count_ended()
    # Programs that have not ended, too.
    os.killpg(0, signal.SIGKILL)


def fork():
    # The threads that numpy and polars start wait for work, which no copy has for them.
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        return os.fork()


def count_ended():
    """Wait for those that have ended, so that their time of a processor counts."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def answer(visitor, found):
    size, streams, *_ = socket.recv_fds(visitor, 8, 3)
    asked = json.loads(visitor.makefile("rb").read(int.from_bytes(size)))
    program = fork()
    if program != 0:
        status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        visitor.sendall(b"%d" % (status if status >= 0 else 128 - status))
        os._exit(0)
    visitor.close()
    set_by_imports = {name: value for name, value in os.environ.items() if found.get(name) != value}
    os.environ.clear()
    os.environ.update({**set_by_imports, **asked["env"]})
    os.chdir(asked["cwd"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv[:] = asked["argv"]
    sought = filter(None, asked["env"].get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:1] = [os.path.dirname(os.path.abspath(sys.argv[0])), *sought]
    runpy.run_path(sys.argv[0], run_name="__main__")


{"run": run, "serve": serve}[sys.argv[1]](*sys.argv[2:])
