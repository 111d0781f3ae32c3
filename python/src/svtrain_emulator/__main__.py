"""The command `svtrain-emulator`: passes everything on to the emulator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from svtrain_emulator._errors import ProgramNotFoundError
from svtrain_emulator._program import find_program


def main() -> int:
    """Run the emulator with the arguments of this process.

    Where the system can do it, the emulator replaces this process. So it gets all signals, and its exit
    code and its output are those of this process.
    """
    try:
        program = find_program()
    except ProgramNotFoundError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    command = [*program.command, *sys.argv[1:]]
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(command[0], command)
    # A child gets Ctrl-C from the terminal itself, so it is ignored here.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
