import { shortJson } from '../../../base/text/shortened.js'
import { isPlace } from '../jobs/saved-rule.js'
import { nameKey } from '../model.js'
import { isOver, progressFlaw } from './check-job.js'
import { platformFlaws, type SavedContents } from '../platform/check-platform.js'
import type { LastRecords, Of } from './last-records.js'
import { flawAt, flawsOf, LOOKED_UP, missing, type Flaw, type Flaws } from './record-flaws.js'

/**
 * Finds problems between the records of a world that are each valid by themselves: missing references and
 * contradictions.
 */
export function* worldFlaws(among: LastRecords, contents: SavedContents): Flaws {
  yield* flawsOf(among, 'model', modelFlaw(among))
  yield* flawsOf(among, 'checkpoint', checkpointFlaw(among))
  yield* flawsOf(among, 'aliases', aliasesFlaw(among))
  yield* flawsOf(among, 'progress', ({ key }) => {
    return among.has('job', key) ? undefined : missing(['key'], 'job', key)
  })
  yield* flawsOf(among, 'job', jobFlaw(among))
  yield* flawsOf(among, 'sft', ({ job }) => {
    const jobKind = among.get('job', job)?.jobKind
    return jobKind === 'sft' ? undefined : missing(['job'], 'SFT job', job)
  })
  yield* jobFlaws(among)
  yield* flawsOf(among, 'lessons', ({ key, lessons }) => {
    const { model, step } = lessons!
    const job = among.get('job', key)
    // A model keeps what it learned from a job that is over and was forgotten.
    const isOfModel = job ? job.model.id === model : step !== undefined
    if (!isOfModel) return missing(['key'], 'job of this model', key)
    return among.hadOnce('model', model) ? undefined : missing(['lessons', 'model'], 'model', model)
  })
  yield* flawsOf(among, 'faults', ({ faults }) => {
    const ids = faults.map(({ added }) => added?.id)
    const index = ids.findIndex((id, at) => id !== undefined && ids.indexOf(id) < at)
    if (index === -1) return undefined
    return flawAt(
      ['faults', index, 'added', 'id'],
      `there is another one with the id "${ids[index]}"`,
    )
  })
  yield* platformFlaws(among, contents)
}

function modelFlaw(among: LastRecords): (model: Of<'model'>) => Flaw | undefined {
  const ids = new Map<string, string>()
  return ({ key, record }) => {
    if (record === 'deleted') return undefined
    if (record.id !== key) {
      return flawAt(['record', 'id'], `expected ${shortJson(key)}, the key of the record`)
    }
    const name = nameKey(record)
    if (!among.has('name', name)) return missing(['record', 'name'], 'name', name)
    const other = ids.get(name)
    if (other !== undefined) {
      return flawAt(['record', 'name'], `model ${shortJson(other)} has that name already`)
    }
    ids.set(name, key)
    return undefined
  }
}

function checkpointFlaw(among: LastRecords): (checkpoint: Of<'checkpoint'>) => Flaw | undefined {
  const live = new Set<string>()
  return ({ model, step, deleted }) => {
    if (!among.has('model', model)) {
      return among.hadOnce('model', model) ? undefined : missing(['model'], 'model', model)
    }
    const place = `${step} ${model}`
    if (live.has(place)) {
      return flawAt(['step'], `its model has another checkpoint of step ${step}`)
    }
    if (!deleted) live.add(place)
    return undefined
  }
}

function aliasesFlaw(among: LastRecords): (aliases: Of<'aliases'>) => Flaw | undefined {
  return ({ key, aliases }) => {
    if (!among.has('model', key)) {
      return among.hadOnce('model', key) ? undefined : missing(['key'], 'model', key)
    }
    const index = aliases.findIndex(([, id]) => among.get('checkpoint', id)?.model !== key)
    if (index === -1) return undefined
    return missing(['aliases', index, 1], 'checkpoint of this model', aliases[index]![1])
  }
}

function jobFlaw(among: LastRecords): (job: Of<'job'>) => Flaw | undefined {
  const [world] = among.of('world')
  return ({ key, model, rule }) => {
    const progress = among.get('progress', key)
    if (!progress) return missing(['key'], 'progress of the job', key)
    const its = among.get('model', model.id)?.record
    if (its === undefined || its === 'deleted') {
      // The job ended when its model was deleted.
      return isOver(progress) ? undefined : missing(['model', 'id'], 'model', model.id)
    }
    for (const part of ['entity', 'project', 'name'] as const) {
      if (model[part] !== its[part]) {
        return flawAt(['model', part], `expected ${shortJson(its[part])}, the value of its model`)
      }
    }
    if (isPlace(rule) && !world?.record.functions) {
      return flawAt(['rule'], `expected a rule, got ${rule}`)
    }
    return undefined
  }
}

/** Finds problems in the order of jobs. The jobs of a model run one after the other. */
function* jobFlaws(among: LastRecords): Flaws {
  const made = new Map<string, number>()
  const current = new Set<string>()
  for (const { record: job, index } of among.of('job')) {
    const progress = among.get('progress', job.key)
    if (!progress) continue
    const model = job.model.id
    if (among.has('model', model)) {
      const before = made.get(model) ?? 0
      made.set(model, job.ordinal)
      // The oldest ones may be forgotten.
      if (job.ordinal <= before) {
        const message = `expected more than ${before}: jobs are in the order of their creation`
        yield { index, record: job, path: ['ordinal'], message }
      }
    }
    const flaw = progressFlaw(job, progress, current.has(model) ? 'waiting' : 'current')
    if (flaw) yield { ...among.placed('progress', job.key)!, ...flaw }
    if (!isOver(progress)) current.add(model)
    yield LOOKED_UP
  }
}
