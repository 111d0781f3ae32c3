import type { Engine } from '../../service/engine/engine.js'
import { answersOf, type TrainedJob } from '../../service/engine/lineage/trained-job.js'
import type { Unit } from './reach.js'
import { NO_MISTAKES, Tally } from './tally.js'
import {
  isFound,
  type TrainingCheck,
  type TrainingCheckDefinition,
  type Units,
} from './training-check.js'

/** Makes a client check from a check of training data. */
export function trainingCheck<U extends Unit, Setting = never>(
  check: TrainingCheck<U, Setting>,
): TrainingCheckDefinition {
  const training: TrainingCheck = check
  const tallies = new WeakMap<Engine, Tally>()
  return {
    mistake: check.mistake,
    legitimate: check.legitimate,
    training,
    find({ engine }, _requests, setting) {
      return new Tally(training, setting).addAll(engine.lineage.newJobs).mistakesIn(engine)
    },
    findIn({ engine }, job, setting) {
      if (!check.ifMany) {
        return isFoundIn(job, training, setting)
          ? new Tally(training, setting).addAll([job]).mistakesIn(engine)
          : NO_MISTAKES
      }
      // It counts over all jobs, and warns once: when there are many for the first time.
      const others = (): TrainedJob[] => engine.lineage.newJobs.filter((other) => other !== job)
      const tally = tallies.get(engine) ?? new Tally(training, setting).addAll(others())
      tallies.set(engine, tally)
      if (tally.wasMistake) return NO_MISTAKES
      tally.add(job)
      return tally.mistakesIn(engine)
    },
  }
}

/** Whether a check finds something in a job. Most jobs have no mistake, and each submit waits for this. */
function isFoundIn(job: TrainedJob, check: TrainingCheck, setting: unknown): boolean {
  return unitsOf(job, check.judges).some((unit) => isFound(check.search(unit, job, setting)))
}

function unitsOf(job: TrainedJob, judges: Unit): readonly Units[Unit][] {
  if (judges === 'group') return job.groups
  return judges === 'answer'
    ? answersOf(job)
    : job.groups.flatMap(({ trajectories }) => trajectories)
}
