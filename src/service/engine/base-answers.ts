import type { BaseWorld } from './base-world.js'
import type { ChatRequest } from './chat/request.js'
import type { Checkpoint } from './jobs/checkpoints.js'
import { LATEST } from '../platform/collection.js'
import { artifactIn } from './served-models.js'
import type { Warnings } from './warnings.js'

interface AnsweringWorld extends BaseWorld {
  readonly warnings: Warnings
}

interface ChatAnswer {
  /** The model, as the client named it. */
  readonly name: string
  readonly served: ChatRequest['served']
  /** The id of the request. */
  readonly request: number
}

/**
 * Warns if a chat means a trained model, and an untrained one answered: after a job that ended, or with
 * `serve_any_model`. Chats before the first training, by its step, or with the id of a base model mean what they got. So
 * do chats whose scenario does not apply adapters.
 */
export function warnOfBaseAnswer(
  world: AnsweringWorld,
  { name, served, request }: ChatAnswer,
): void {
  const why = served.kind === 'base' ? whyAny(world, name) : whyUntrained(served, world, name)
  if (why !== undefined) world.warnings.give('base-answers', { model: name, why }, request)
}

/** A name without entity and project is that of a base model, if any name is served. */
function whyAny({ store, scenario }: AnsweringWorld, name: string): string | undefined {
  if (!scenario.chat.serve_any_model || name.includes('/') || store.servesBaseModel(name)) {
    return undefined
  }
  const [written] = name.split(':')
  for (const { record } of store.modelStates) {
    const { entity, project } = record
    if (record.name === written) return `the trained model is ${entity}/${project}/${written}`
  }
  return undefined
}

function whyUntrained(
  { model, checkpoint }: Extract<ChatRequest['served'], { kind: 'adapter' }>,
  { clock }: AnsweringWorld,
  name: string,
): string | undefined {
  if (checkpoint.step > 0 || !meansLatest(name)) return undefined
  const job = model.jobs.findLast(({ progress }) => progress.status === 'ended')
  if (!job || job.progress.gradientSteps === 0) return undefined
  const ended = `job ${job.id.slice(0, 8)} has ended,`
  const trained = model.checkpoints.latest
  if (trained && trained.step > 0) return `${ended} but ${whyNot(trained, clock.now())}`
  // Who deletes a checkpoint knows it.
  const hasTrained = model.checkpoints.everMade.some(({ step }) => step > 0)
  return hasTrained ? undefined : `${ended} but it added no checkpoint`
}

function whyNot(checkpoint: Checkpoint, at: number): string {
  const isLater = (checkpoint.servedFrom ?? at) > at
  return `its checkpoint of step ${checkpoint.step} is ${isLater ? 'not served yet' : 'no longer served'}`
}

function meansLatest(name: string): boolean {
  const suffix = artifactIn(name)?.suffix
  return suffix === undefined || suffix === LATEST
}
