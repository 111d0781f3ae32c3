import type { ExploredCode, ExploredWorld } from '../../../../src/explore.js'
import type { Emulator } from '../../../../src/index.js'

/** What a loop that is killed may do wrong. */
export interface Mistakes {
  /** Each start names its model anew. */
  newModel?: boolean
  /** A start does not look at what is trained, and begins with the first batch. */
  fromTheStart?: boolean
  /** It stores a step as done before it submits the batch. */
  doneTooEarly?: boolean
  /** It does not store the id of its job. */
  forgetsJob?: boolean
  /** A start goes on with the checkpoint that it stored, although there is a newer one. */
  storedCheckpoint?: boolean
  /** A start waits for a job that was over before. */
  waits?: boolean
  /** A start cannot read what is stored. */
  unreadable?: boolean
}

const PROMPTS = ['Name a color.', 'Name a tree.', 'Name a river.']

interface Answer {
  id: string
  entity: string
  step: number
  last_id: string
  choices: object[]
  data: Answer[]
  type: string
}

/** A loop of three steps, each with a prompt of its own. It stores its job, and asks the service for its step. */
export function loop(mistakes: Mistakes = {}): ExploredCode {
  return (emulator, world) => new Loop(emulator, world, mistakes).run()
}

let starts = 0

class Loop {
  readonly #emulator: Emulator
  readonly #state: ExploredWorld['state']
  readonly #mistakes: Mistakes

  constructor(emulator: Emulator, { state }: ExploredWorld, mistakes: Mistakes) {
    this.#emulator = emulator
    this.#state = state
    this.#mistakes = mistakes
  }

  async run(): Promise<void> {
    const { newModel, forgetsJob, waits, unreadable, storedCheckpoint } = this.#mistakes
    if (unreadable && this.#state.size > 0) throw new Error('state.json has half a line')
    const name = newModel ? `poet-${starts++}` : 'poet'
    const wanted = { project: 'demo', name, base_model: 'example/base-8b-instruct' }
    const model = await this.#call('models', { ...wanted, return_existing: true })
    const job = this.#state.get('job') as string | undefined
    if (job !== undefined && !forgetsJob) await this.#follow(job)
    if (waits && job !== undefined) await new Promise(() => {})
    let served = storedCheckpoint ? (this.#state.get('checkpoint') as string) : undefined
    for (let step = await this.#nextStep(model); step < PROMPTS.length; step++) {
      served ??= await this.#newest(model, name)
      this.#state.set('checkpoint', served)
      const groups = [{ trajectories: await this.#rollouts(served, PROMPTS[step]!) }]
      if (this.#mistakes.doneTooEarly) this.#state.set('done', step + 1)
      const { id } = await this.#call('training-jobs', {
        model_id: model.id,
        trajectory_groups: groups,
      })
      this.#state.set('job', id)
      await this.#follow(id)
      served = undefined
    }
  }

  async #nextStep(model: Answer): Promise<number> {
    const { fromTheStart, doneTooEarly } = this.#mistakes
    if (fromTheStart) return 0
    if (doneTooEarly) return (this.#state.get('done') as number | undefined) ?? 0
    return this.#trained(model)
  }

  async #trained({ id }: Answer): Promise<number> {
    const { data } = await this.#call(`models/${id}/checkpoints?limit=1&order=desc`)
    return data[0]?.step ?? 0
  }

  async #newest(model: Answer, name: string): Promise<string> {
    const step = await this.#trained(model)
    return `artifact:///${model.entity}/demo/${name}:step${step}`
  }

  async #rollouts(model: string, content: string): Promise<object[]> {
    const messages = [{ role: 'user', content }]
    const trajectories = []
    for (const reward of [0, 1]) {
      const { choices } = await this.#call('../chat/completions', {
        model,
        messages,
        max_tokens: 5,
      })
      trajectories.push({ messages_and_choices: [...messages, choices[0]], reward })
    }
    return trajectories
  }

  async #follow(job: string): Promise<void> {
    for (let after = ''; ;) {
      const { data, last_id } = await this.#call(`training-jobs/${job}/events?after=${after}`)
      if (data.some(({ type }) => type === 'training_ended')) break
      if (data.length > 0) after = last_id
    }
    if (!this.#mistakes.waits) this.#state.delete('job')
  }

  async #call(path: string, body?: object): Promise<Answer> {
    const { fetch, trainingUrl, apiKey } = this.#emulator
    const response = await fetch(new URL(`${trainingUrl}/preview/${path}`), {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
}
