import { describe, expect, it } from 'vitest'
import { explore, ExploreError } from '../../../src/explore.js'
import { OptionsError, type Emulator } from '../../../src/index.js'

/** The mistakes that a loop may have. */
interface Mistakes {
  blindRetry?: boolean
  noTimeout?: boolean
  unservedCheckpoint?: boolean
  noCursor?: boolean
}

/** How long a call may take, in milliseconds. A call in this process takes less than one. */
const PATIENCE = 300

class Refused extends Error {
  readonly status: number
  constructor(status: number, path: string) {
    super(`${path}: ${status}`)
    this.status = status
  }
}

/** A small training loop: a model, two chats, a job, its events, and a chat with the new checkpoint. */
class Loop {
  readonly #emulator: Emulator
  readonly #mistakes: Mistakes

  constructor(emulator: Emulator, mistakes: Mistakes) {
    this.#emulator = emulator
    this.#mistakes = mistakes
  }

  async run(): Promise<void> {
    const { blindRetry = false, unservedCheckpoint = false } = this.#mistakes
    const named = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
    const model = await this.#retried('models', { ...named, return_existing: true })
    for (let chat = 0; chat < 2; chat++) await this.#retried('../chat/completions', hello())
    const batch = {
      model_id: model.id,
      trajectory_groups: [{ trajectories: [{ reward: 1 }, { reward: 0.5 }] }],
    }
    const job = blindRetry
      ? await this.#retried('training-jobs', batch)
      : await this.#submittedOnce(model.id, batch)
    if (job) await this.#readEvents(job.id)
    const { entity } = model
    const artifact = `artifact:///${entity}/demo/poet:step1`
    if (unservedCheckpoint) await this.#retried('../chat/completions', hello(artifact), [])
  }

  /** After an unclear end, looks for the checkpoint of the job before it submits again. */
  async #submittedOnce(model: string, batch: object): Promise<Answer | undefined> {
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        return await this.#call('training-jobs', batch)
      } catch (error) {
        const isUnclear = !(error instanceof Refused) || error.status >= 500
        if (isFinal(error) && !isMissing(error)) throw error
        if (!isUnclear) continue
        for (let look = 0; look < 6; look++) {
          const page = await this.#retried(`models/${model}/checkpoints?limit=5`)
          if (page.data.length > 1) return undefined
        }
      }
    }
    throw new Error('No job was created')
  }

  async #readEvents(job: string): Promise<void> {
    let after = ''
    let failures = 0
    for (let page = 0; page < 60; page++) {
      try {
        const isAlone = this.#mistakes.noCursor === true
        const query = isAlone ? '' : `?limit=1&after=${after}`
        const answer = await this.#call(`training-jobs/${job}/events${query}`)
        failures = 0
        for (const { type, data } of answer.data) {
          if (type === 'training_ended') return
          if (type === 'training_failed') throw new Refused(499, data.error_message)
        }
        const last = answer.data.at(-1)
        if (last) after = last.id
      } catch (error) {
        const isStale = error instanceof Refused && error.status === 404
        if (isFinal(error) && !isStale) throw error
        if (++failures > 8) throw error
        if (isStale) after = ''
      }
    }
    throw new Error('The job takes too long')
  }

  async #retried(path: string, body?: object, patient = [404]): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#call(path, body)
      } catch (error) {
        const isKnown = error instanceof Refused && patient.includes(error.status)
        if (attempt === 8 || (isFinal(error) && !isKnown)) throw error
      }
    }
  }

  async #call(path: string, body?: object): Promise<Answer> {
    const { fetch, trainingUrl, apiKey } = this.#emulator
    const hangs = !(this.#mistakes.noTimeout === true && path.includes('chat'))
    const response = await fetch(new URL(`${trainingUrl}/preview/${path}`), {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(hangs && { signal: AbortSignal.timeout(PATIENCE) }),
    })
    if (!response.ok) throw new Refused(response.status, path)
    // The service writes NaN like Python does.
    const text = (await response.text()).replaceAll(/:(?:NaN|-?Infinity)/g, ':null')
    return JSON.parse(text) as Answer
  }
}

interface Answer {
  id: string
  entity: string
  data: { id: string; type: string; data: { error_message: string } }[]
}

function hello(model = 'example/base-8b-instruct') {
  return { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }
}

/** What was created a moment ago may be missing at first. */
function isMissing(error: unknown): boolean {
  return error instanceof Refused && error.status === 404
}

function isFinal(error: unknown): boolean {
  return error instanceof Refused && [401, 404, 409, 422, 499].includes(error.status)
}

function loop(mistakes: Mistakes = {}) {
  return (emulator: Emulator) => new Loop(emulator, mistakes).run()
}

const options = { runs: 30, timeout: '30s', parallel: 4 } as const

describe('explore, in this process', { timeout: 120_000 }, () => {
  it('passes a careful loop', async () => {
    const met = new Set<number | string>()
    const careful = async (emulator: Emulator): Promise<void> => {
      await loop()(emulator)
      for (const { status, lost } of emulator.requests.all('createRlTrainingJob'))
        met.add(lost ?? status!)
    }
    const report = await explore(careful, { ...options, runs: 60 })
    expect(report.text.split('\n').slice(0, 3)).toEqual([
      '60 runs, 60 passed, no failure (seed 1).',
      '',
      'Not tried:',
    ])
    report.assertPassed()
    // A run in which nothing happened shows nothing.
    expect(report.text).toContain('  Nothing of it happened: no call matched (')
    // It met more than one client meets without faults.
    expect(met.size).toBeGreaterThan(5)
  })

  it.each<[Mistakes, string, RegExp]>([
    [
      { blindRetry: true },
      'duplicateJobs',
      /fault: drop|status: 50\d|fault: hang|fault: malformed/,
    ],
    [{ noTimeout: true }, 'createChatCompletion got no answer', /fault: hang/],
    [{ noCursor: true }, 'eventsReadAgain', /until: read|event: never/],
    [
      { unservedCheckpoint: true },
      'createChatCompletion was refused with 404',
      /served_after|status: 404/,
    ],
  ])('finds %o', async (mistakes, title, yaml) => {
    // Only the loop that waits forever needs a short limit. The others end by themselves.
    const timeout = mistakes.noTimeout === true ? '1s' : options.timeout
    const report = await explore(loop(mistakes), { ...options, timeout })
    const failure = report.failures.find((each) => each.title.includes(title))
    if (!failure) throw new Error(report.text)
    expect(failure.yaml).toMatch(yaml)
    expect(failure.yaml.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    expect(() => report.assertPassed()).toThrow(ExploreError)
    expect(() => report.assertPassed()).toThrow(failure.yaml.split('\n')[0])
  })

  it('gives each run its own emulator, and closes it', async () => {
    const emulators = new Set<Emulator>()
    const signals: AbortSignal[] = []
    await explore(
      (emulator, { signal }) => {
        emulators.add(emulator)
        signals.push(signal)
      },
      { runs: 4, emulatorOptions: { apiKeys: ['my-key'] } },
    )
    // Those in which nothing happened come on top.
    expect(emulators.size).toBeGreaterThanOrEqual(4)
    expect([...emulators].every(({ closed, apiKey }) => closed && apiKey === 'my-key')).toBe(true)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  it('answers in each run what a scenario of its user says, and names it if that is not enough', async () => {
    const scenario = { name: 'number-judge', chat: { rules: [{ answer: '7' }] } }
    const reads = (wanted: number) => async (emulator: Emulator) => {
      const messages = [{ role: 'user', content: 'Score it.' }]
      const response = await emulator.fetch(`${emulator.trainingUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${emulator.apiKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: 'example/base-8b-instruct', messages }),
      })
      if (!response.ok) throw new Error(`chat answered ${response.status}`)
      const { choices } = await response.json()
      if (Number(choices[0].message.content) !== wanted) throw new Error('no number')
    }
    const given = { runs: 6, timeout: 500, scenarios: [{ scenario }] }
    const { failures } = await explore(reads(7), given)
    expect(failures.length).toBeGreaterThan(0)
    for (const { reason, scenario: found } of failures) {
      expect(reason).not.toContain('no number')
      expect(found.chat?.rules).toEqual(scenario.chat.rules)
    }
    const { ended, text } = await explore(reads(8), given)
    expect(ended).toBe('baseline')
    expect(text).toContain('In force was what "number-judge" says about answers of chats')
  })

  it('ends code that polls without a pause', async () => {
    const report = await explore(
      async ({ fetch, trainingUrl }) => {
        for (;;) await fetch(`${trainingUrl}/health`).catch(() => {})
      },
      { runs: 2, timeout: 50 },
    )
    expect(report.ended).toBe('baseline')
    expect(report.failures[0]!.verdict).toBe('hung')
    expect(report.failures[0]!.reason).toMatch(/It was stopped after \d+\.\d s, the longest/)
    expect(report.text).not.toContain('createEmulator')
  })

  it('shows what code throws that is no error', async () => {
    const { failures } = await explore(() => Promise.reject(Object.create(null) as Error))
    expect(failures[0]!.reason).toBe('{}')
  })

  it('refuses wrong options', async () => {
    await expect(explore(() => {}, { run: 5 } as never)).rejects.toThrow(
      'explore: unknown option "run". Did you mean "runs"?',
    )
    await expect(explore(() => {}, { runs: 0 })).rejects.toThrow(OptionsError)
    await expect(explore('npm test' as never)).rejects.toThrow('its first argument')
    await expect(
      explore(() => {}, { emulatorOptions: { scenario: 'sft' } as never }),
    ).rejects.toThrow('unknown option "emulatorOptions.scenario"')
    await expect(
      explore(() => {}, { scenarios: [{ scenario: { name: 'x', faults: 3 } as never }] }),
    ).rejects.toThrow('faults')
  })
})
