"""Programs that make a mistake with runs and artifacts, and the same ones without it. The arguments name them."""

import os
import sys
import time
from pathlib import Path

import wandb
from rows import ENTITY, PROJECT, rows

RUN = {"entity": ENTITY, "project": PROJECT}


def steps_in_order():
    with wandb.init(**RUN) as run:
        for step in (1, 5, 6):
            run.log({"loss": 1 / step}, step=step)


def steps_out_of_order():
    with wandb.init(**RUN) as run:
        for step in (1, 5, 3):
            run.log({"loss": 1 / step}, step=step)
        # The SDK prints in the background what it drops. A run that ends before has no line of it.
        output = Path(run.dir, "output.log")
        while not (output.exists() and "Tried to log" in output.read_text()):
            time.sleep(0.05)


def two_runs_of_one_id():
    for first in (5, 1):
        with wandb.init(**RUN, id="shared") as run:
            run.log({"loss": 1}, step=first)


def run_at_exit():
    run = wandb.init(**RUN)
    run.log({"loss": 1})


def run_that_is_killed():
    run_at_exit()
    os._exit(1)


def artifact_that_is_logged():
    with wandb.init(**RUN) as run:
        run.log_artifact(rows(os.urandom(1024)))


def artifact_that_is_cut_off():
    """The emulator delays the upload of the file, and the program does not wait for it."""
    run = wandb.init(**RUN)
    run.log_artifact(rows(os.urandom(1024)))
    time.sleep(2)
    os._exit(1)


for name in sys.argv[1:]:
    globals()[name]()
