import { ApiError, apiErrors } from '../../contract/errors.js'
import type { Engine } from '../../engine/engine.js'
import type { Job } from '../../engine/job.js'
import { nearest } from '../../engine/nearest.js'
import type { TriggerFacts } from '../../webhooks/trigger.js'

interface Triggering {
  event: string
  facts: TriggerFacts & { to?: string }
}

type Kind = 'text' | 'number' | 'map'

const KINDS: Readonly<Record<keyof Triggering['facts'], Kind>> = {
  to: 'text',
  entity: 'text',
  project: 'text',
  registry: 'text',
  collection: 'text',
  version: 'number',
  alias: 'text',
  tag: 'text',
  author: 'text',
  metadata: 'map',
  run: 'text',
  state: 'text',
  metrics: 'map',
}

const STATES = ['running', 'finished', 'failed']

/** Reads an event that is to be triggered, and what is told of it; of a job, it begins with its own. */
export function readTrigger(
  { event, job_id, ...given }: Readonly<Record<string, unknown>>,
  engine: Engine,
): Triggering | ApiError {
  if (typeof event !== 'string') return new ApiError(400, 'event: expected its name, as a text.')
  const job = typeof job_id === 'string' ? engine.store.jobs.get(job_id) : undefined
  if (job_id !== undefined && !job) return apiErrors.trainingJobNotFound()
  for (const [name, value] of Object.entries(given)) {
    const wrong = wrongFact(name, value)
    if (wrong !== undefined) return new ApiError(400, wrong)
  }
  return { event: event.toUpperCase(), facts: { ...(job && factsOf(job)), ...given } }
}

function wrongFact(name: string, value: unknown): string | undefined {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined
  if (kind === undefined) {
    const known = [...Object.keys(KINDS), 'event', 'job_id']
    const meant = nearest(name, known)
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
    return `${name}: no such fact.${hint} There are ${known.join(', ')}.`
  }
  if (name === 'state' && !STATES.includes(value as string)) {
    return `state: ${JSON.stringify(value)} is none of ${STATES.join(', ')}.`
  }
  if (kind === 'text' && typeof value !== 'string') return `${name}: expected a text.`
  if (kind === 'number' && !Number.isInteger(value)) return `${name}: expected a whole number.`
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  return kind === 'map' && !isMap ? `${name}: expected a map.` : undefined
}

function factsOf({ model, status, author }: Job): TriggerFacts {
  const { entity, project, name } = model
  return { entity, project, run: name, collection: name, state: RUN_STATES[status], author }
}

const RUN_STATES = {
  queued: 'running',
  running: 'running',
  ended: 'finished',
  failed: 'failed',
} as const
