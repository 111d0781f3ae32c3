import type { ExploredCode, ExploredWorld } from '../../../../src/explore.js'
import type { Emulator } from '../../../../src/index.js'
import { scored, ShortLoop, user } from '../../../service/scenario/short-loop.js'

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

/** A loop of three steps, each with a prompt of its own. It stores its job, and asks the service for its step. */
export function loop(mistakes: Mistakes = {}): ExploredCode {
  return (emulator, world) => new Loop(emulator, world, mistakes).run()
}

let starts = 0

class Loop {
  readonly #short: ShortLoop
  readonly #state: ExploredWorld['state']
  readonly #mistakes: Mistakes

  constructor(emulator: Emulator, { state }: ExploredWorld, mistakes: Mistakes) {
    this.#short = new ShortLoop(emulator, mistakes.newModel ? `poet-${starts++}` : 'poet')
    this.#state = state
    this.#mistakes = mistakes
  }

  async run(): Promise<void> {
    const { doneTooEarly, forgetsJob, waits, unreadable, storedCheckpoint } = this.#mistakes
    if (unreadable && this.#state.size > 0) throw new Error('state.json has half a line')
    const job = this.#state.get('job') as string | undefined
    if (job !== undefined && !forgetsJob) await this.#follow(job)
    if (waits && job !== undefined) await new Promise(() => {})
    let served = storedCheckpoint ? (this.#state.get('checkpoint') as number) : undefined
    for (let step = await this.#nextStep(); step < PROMPTS.length; step++) {
      served ??= await this.#short.newestStep()
      this.#state.set('checkpoint', served)
      const group = await this.#rollouts(served, PROMPTS[step]!)
      if (doneTooEarly) this.#state.set('done', step + 1)
      const { body } = await this.#short.submit(group)
      this.#state.set('job', body.id)
      await this.#follow(body.id as string)
      served = undefined
    }
  }

  async #nextStep(): Promise<number> {
    const { fromTheStart, doneTooEarly } = this.#mistakes
    if (fromTheStart) return 0
    if (doneTooEarly) return (this.#state.get('done') as number | undefined) ?? 0
    return this.#short.newestStep()
  }

  async #rollouts(step: number, prompt: string): Promise<object[]> {
    const rollouts = []
    for (const reward of [0, 1]) {
      const more = { model: this.#short.named(step), max_tokens: 5 }
      const { body } = await this.#short.ask([user(prompt)], more)
      rollouts.push(scored(prompt, body.choices[0], reward))
    }
    return rollouts
  }

  async #follow(job: string): Promise<void> {
    await this.#short.follow(job)
    if (!this.#mistakes.waits) this.#state.delete('job')
  }
}
