import type { Emulator } from '../../../src/index.js'
import { BASE_MODEL, clientOf, type Answer, type ApiClient } from '../../support/api-client.js'
import { createModel, listEvents, type Event } from '../../support/trainer.js'

/** A rollout that is submitted. */
export interface Scored {
  messages_and_choices: readonly object[]
  reward: number
}

/** What a job says about itself. */
export interface Trained {
  /** The data of `training_started`. */
  started: Event['data']
  /** The data of each gradient step. */
  steps: readonly Event['data'][]
}

/** The parts of a short training loop in process: careful and careless loops are made of them. */
export class ShortLoop {
  readonly emulator: Emulator
  readonly #api: ApiClient
  readonly #name: string
  #model: Promise<{ id: string }> | undefined

  constructor(emulator: Emulator, name = 'poet') {
    this.emulator = emulator
    this.#api = clientOf(emulator)
    this.#name = name
  }

  /** The name of the trained model, such as `poet` or `poet:step3`. */
  named(step?: number): string {
    const suffix = step === undefined ? '' : `:step${step}`
    return `local-team/my-project/${this.#name}${suffix}`
  }

  /** Returns the newest step. Creates the model first, unless there is one with that name. */
  async newestStep(): Promise<number> {
    const { id } = await this.#created()
    const path = `/preview/models/${id}/checkpoints?order=desc&limit=1`
    return (await this.#api.get(path)).body.data[0].step
  }

  /** Sends a chat once. The model is the base model, if no other one is named. */
  async ask(messages: readonly object[], more: object = {}): Promise<Answer> {
    await this.#created()
    return this.#api.inference.post('/chat/completions', { model: BASE_MODEL, messages, ...more })
  }

  /** Submits a job once. */
  async submit(...groups: readonly (readonly object[])[]): Promise<Answer> {
    const trajectory_groups = groups.map((trajectories) => ({ trajectories }))
    const { id: model_id } = await this.#created()
    return this.#api.post('/preview/training-jobs', { model_id, trajectory_groups })
  }

  /** Polls a job until its end. */
  async follow(job: string): Promise<Trained> {
    let events: Event[] = []
    while (events.at(-1)?.type !== 'training_ended') events = await listEvents(this.#api, job)
    const steps = events.filter(({ type }) => type === 'gradient_step').map(({ data }) => data)
    return { started: events[0]!.data, steps }
  }

  async train(...groups: readonly (readonly object[])[]): Promise<Trained> {
    const { body } = await this.submit(...groups)
    return this.follow(body.id as string)
  }

  /** Deletes all checkpoints but those of some steps. */
  async keep(...steps: readonly number[]): Promise<void> {
    const { id } = await this.#created()
    const path = `/preview/models/${id}/checkpoints`
    const { body } = await this.#api.get(path)
    const all = (body.data as { step: number }[]).map(({ step }) => step)
    const others = all.filter((step) => !steps.includes(step))
    if (others.length > 0) await this.#api.delete(path, { steps: others })
  }

  #created(): Promise<{ id: string }> {
    return (this.#model ??= createModel(this.#api, { name: this.#name, return_existing: true }))
  }
}

/** The message of a user. */
export function user(content: string): { role: 'user'; content: string } {
  return { role: 'user', content }
}

/** A rollout of one turn, with its reward. */
export function scored(prompt: string, choice: object, reward: number): Scored {
  return { messages_and_choices: [user(prompt), choice], reward }
}
