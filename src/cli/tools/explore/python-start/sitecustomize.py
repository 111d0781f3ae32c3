"""Written by svtrain-emulator explore. It starts programs faster, and shortens their pauses."""
# Python loads it before a program.
#
# - Pauses take a fraction of their time: see svtrain_pauses.
# - With SVTRAIN_TEMPLATE, the process runs the imports at the top of the program, and is copied for each run: see
#   svtrain_copies.
#
# A file of the same name that the program would load comes first.

import os
import sys

# Before the folder of these files is no longer searched.
import svtrain_copies
import svtrain_modules
import svtrain_pauses


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


_load_other()
if "SVTRAIN_PACE" in os.environ:
    svtrain_pauses.shorten(float(os.environ["SVTRAIN_PACE"]))
if os.environ.pop("SVTRAIN_TEMPLATE", None):
    svtrain_copies.serve()
elif sys.argv[0].endswith(".py"):
    svtrain_modules.note()
