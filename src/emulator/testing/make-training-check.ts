import type { Engine } from '../../service/engine/engine.js'
import type { TrainedJob } from '../../service/engine/lineage/trained-job.js'
import type { Unit } from './reach.js'
import { NO_MISTAKES, Tally } from './tally.js'
import { isFound, type TrainingCheck, type TrainingCheckDefinition } from './training-check.js'

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
  const { judges } = check
  for (const group of job.groups) {
    if (judges === 'group' && isFound(check.search(group, job, setting))) return true
    if (judges === 'group') continue
    for (const trajectory of group.trajectories) {
      if (judges === 'trajectory' && isFound(check.search(trajectory, job, setting))) return true
      if (judges === 'trajectory') continue
      for (const answer of trajectory.answers)
        if (isFound(check.search(answer, job, setting))) return true
    }
  }
  return false
}
