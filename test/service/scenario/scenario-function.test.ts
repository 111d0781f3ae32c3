import { describe, expect, it, vi } from 'vitest'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { requestLog } from '../../../src/cli/request-log.js'
import { painterFor } from '../../../src/cli/terminal.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, startJob } from '../../support/trainer.js'
import { played } from '../../tools/play/played.js'

type Api = ReturnType<typeof clientOf>

const fail = (): never => {
  throw new TypeError('nothing to read')
}
const ofJob = { event: 'gradient_step', metrics: { loss: fail } } as const
const timeline = [{ event: 'training_started' }, ofJob, { event: 'training_ended' }] as const

const chat = (api: Api) => {
  const messages = [{ role: 'user', content: 'Score this from 0 to 1.' }]
  const model = 'example/base-8b-instruct'
  return api.post('/chat/completions', { model, messages })
}
const judge = (api: Api) => {
  const messages = [{ role: 'user', content: 'Score this from 0 to 1: {"score": 0.5}' }]
  const schema = { type: 'object', properties: { score: { type: 'number' } } }
  const response_format = { type: 'json_schema', json_schema: { name: 'score', schema } }
  return api.post('/chat/completions', { model: 'a-judge', messages, response_format })
}
const train = async (api: Api) => {
  const id = await startJob(api, (await createModel(api)).id)
  for (let poll = 0; poll < 9; poll++) await api.get(`/preview/training-jobs/${id}/events`)
}

/** A call, the place of the function that it meets, and the rest of the scenario. */
const functions: [
  place: string,
  call: (api: Api) => Promise<unknown>,
  Omit<ScenarioInput, 'name'>,
][] = [
  ['jobs[0].match', train, { jobs: [{ match: fail, timeline: [...timeline] }] }],
  ['jobs[0].timeline[1].metrics.loss', train, { jobs: [{ timeline: [...timeline] }] }],
  ['faults[0].match', chat, { faults: [{ fault: 'hang', match: fail }] }],
  ['chat.rules[0].match', chat, { chat: { rules: [{ match: fail, answer: 'x' }] } }],
  ['chat.rules[0].answer', chat, { chat: { rules: [{ answer: fail }] } }],
  ['chat.rules[0].answers[0]', chat, { chat: { rules: [{ answers: [async () => fail()] }] } }],
  ['chat.judge.rules[0].match', judge, { chat: { judge: { rules: [{ match: fail, score: 1 }] } } }],
  ['chat.judge.rules[0].score', judge, { chat: { judge: { rules: [{ score: fail }] } } }],
]

describe('a function of a scenario that throws', () => {
  it.each(functions)('is named with its place and its line: %s', async (place, call, parts) => {
    const emulator = createEmulator({ scenario: { name: 'mine', ...parts } })
    const lines: string[] = []
    const write = (line: string): void => void lines.push(line)
    const { log } = requestLog('pretty', { write, paint: painterFor({ isTTY: false }, {}) })
    emulator.journal.subscribe(log)
    await call(clientOf(emulator))
    const text = `A function of the scenario "mine" failed: scenario-function.test.ts:13:9 ${place}: threw TypeError: nothing to read`
    for (const shown of [emulator.trace(), lines.join('\n').replaceAll(/\s+/g, ' ')]) {
      expect(shown).toContain(text)
      expect(shown).not.toContain('please report it')
    }
    expect(lines.join('\n')).toContain('at fail (')
  })

  it('is told by play, whose client gets a 500', async () => {
    const { timeline: told } = await played({ jobs: [{ match: fail, timeline: [...timeline] }] })
    const at = told.findIndex(({ kind }) => kind === 'note')
    expect(told.slice(at, at + 2)).toMatchObject([
      { text: expect.stringContaining('jobs[0].match: threw TypeError') },
      { call: { status: 500, message: 'Internal Server Error' } },
    ])
  })

  const losing = (returned: unknown) => {
    const step = { ...ofJob, metrics: { loss: () => returned as number } }
    return { jobs: [{ timeline: [timeline[0], step, timeline[2]] }] }
  }
  const promised = () => Promise.reject(new Error('nobody waits for it')) as never
  const unusable: [shown: string, call: (api: Api) => Promise<unknown>, parts: object][] = [
    ['jobs[0].match: returned a promise', train, { jobs: [{ match: promised, timeline }] }],
    ['faults[0].match: returned a promise', chat, { faults: [{ fault: 'hang', match: promised }] }],
    ['loss: returned "0.5", and only a number', train, losing('0.5')],
    ['loss: returned undefined, and only', train, losing(undefined)],
    ['score: returned a promise', judge, { chat: { judge: { rules: [{ score: promised }] } } }],
  ]
  it.each(unusable)(
    'or returns what cannot be used is named too: %s',
    async (shown, call, parts) => {
      const emulator = createEmulator({ scenario: { name: 'mine', ...parts } })
      await call(clientOf(emulator))
      expect(emulator.trace()).toContain(shown)
    },
  )

  it('keeps the place in its own scenario when another one has it', () => {
    const own = checkScenario({ name: 'own', faults: [{ fault: 'hang', match: fail }] })
    const { faults } = checkScenario({
      ...own,
      name: 'other',
      faults: [{ fault: 'drop' }, ...own.faults],
    })
    expect(faults[1]!.match).toThrow(
      /^A function of the scenario "own" failed:\n.* faults\[0\]\.match: threw /,
    )
  })

  it.each(['text', undefined, { toString: fail }])('may throw anything: %j', (thrown) => {
    const match = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error -- Users throw anything.
      throw thrown
    }
    const { faults } = checkScenario({ name: 'own', faults: [{ fault: 'hang', match }] })
    expect(faults[0]!.match).toThrow('faults[0].match: threw ')
  })
})

it('an error of the emulator itself is told as one', async () => {
  const emulator = createEmulator()
  vi.spyOn(emulator.engine.store, 'model').mockImplementation(fail)
  await train(clientOf(emulator))
  expect(emulator.trace()).toContain(
    '500; The emulator failed to answer this; please report it. TypeError: nothing to read',
  )
})
