import type { TrainedJob } from '../../service/engine/lineage/trained-job.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { findingText, runningChecks, type RunningCheck } from './client-checks.js'
import type { FoundMistake } from './check-definition.js'
import type { TestedWorld } from './world.js'

/**
 * Writes a note into the journal for each mistake in training data, as soon as a job is submitted or a checkpoint is
 * deleted. So the log and the trace show it where it happened.
 */
export function warnOfTraining(world: TestedWorld): void {
  const { engine, journal } = world
  let { scenario } = engine
  let all = runningChecks(world)
  const warn = (
    find: (running: RunningCheck) => readonly FoundMistake[],
    cause: number | undefined,
  ): void => {
    // Another scenario may choose other checks.
    if (scenario !== engine.scenario) {
      scenario = engine.scenario
      all = runningChecks(world)
    }
    for (const running of all) {
      for (const { text, quote } of find(running)) {
        const said = findingText({ check: running.check, text })
        journal.note(`warning: ${said}`, cause, quote)
      }
    }
  }
  engine.lineage.watch({
    trained(job: TrainedJob) {
      warn(({ definition, options }) => definition.findIn?.(world, job, options) ?? [], job.request)
    },
    deleted(request: RequestEntry) {
      warn(
        ({ definition, options }) => definition.findInDeletion?.(world, request, options) ?? [],
        request.id,
      )
    },
  })
}
