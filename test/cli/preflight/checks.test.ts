import { describe, expect, it } from 'vitest'
import {
  billCheck,
  callsCheck,
  dataChecks,
  hostsCheck,
  killCheck,
  programCheck,
  type FirstRun,
  type MoreCommands,
} from '../../../src/cli/preflight/checks.js'
import { findingsIn } from '../../../src/emulator/testing/client-checks.js'
import { createEmulator, type Emulator } from '../../../src/index.js'
import type { TrialResult } from '../../../src/tools/explore/exploration.js'
import { observe } from '../../../src/tools/explore/observe.js'
import { scored, ShortLoop, user } from '../../support/short-loop.js'

const more: MoreCommands = { run: ['run'], checks: ['checks'], bill: ['bill'], kill: ['kill'] }

/** Asks for two answers to each prompt, and trains on them. */
async function train(emulator: Emulator, groups: readonly string[][]): Promise<void> {
  const loop = new ShortLoop(emulator)
  for (const [step, prompts] of groups.entries()) {
    const group = []
    for (const [at, prompt] of prompts.entries()) {
      const { body } = await loop.ask([user(prompt)], { model: loop.named(step) })
      const [choice] = (body as { choices: object[] }).choices
      group.push(scored(prompt, choice!, at))
    }
    await loop.train(group)
  }
}

/** What a run without a kill showed. */
async function ran(
  emulator: Emulator,
  { budget, steps, ...result }: Partial<TrialResult> & { budget?: string; steps?: number } = {},
): Promise<FirstRun> {
  return {
    result: {
      ended: 'success',
      took: 1000,
      observed: observe(emulator, { compares: true }),
      ...result,
    },
    code: result.ended === 'error' ? 3 : 0,
    findings: findingsIn(emulator, { deliveries: false }),
    bill: await emulator.bill({ budget, steps }),
  }
}

/** Trains on eight groups, half of which have equal rewards. */
async function trainOnEqualRewards(emulator: Emulator): Promise<void> {
  const groups = Array.from({ length: 8 }, (_, at) => [{ reward: 0 }, { reward: at % 2 }])
  await new ShortLoop(emulator).train(...groups)
}

const PROMPTS = ['Name a color.', 'Name a color.']

describe('what preflight says about a careful loop', () => {
  it('is go', async () => {
    const emulator = createEmulator()
    await train(emulator, [PROMPTS, ['Name a tree.', 'Name a tree.']])
    const first = await ran(emulator, { budget: '1M-tokens' })
    const checks = [programCheck(first, more), callsCheck(first, more), billCheck(first, more)]
    expect([...checks, ...dataChecks(first, more)].map(({ state }) => state)).toEqual([
      'go',
      'go',
      'go',
      'go',
    ])
    expect(checks[0]!.text).toMatch(
      /^It ended after 1\.0s, with 2 training jobs, 4 chats and \d+ calls\.$/,
    )
  })
})

describe('what preflight says about a mistake', () => {
  it.each([
    [
      'error',
      { error: 'ValueError: no rows' },
      'It ended with exit code 3 after 1.0s: ValueError: no rows',
    ],
    ['timeout', {}, /^It did not end, and was stopped after 1\.0s: the code did not end/],
  ] as const)('names the end: %s', async (ended, others, text) => {
    const first = await ran(createEmulator(), { ended, ...others })
    const { text: said, ...check } = programCheck(first, more)
    expect(check).toEqual({ name: 'program', state: 'no-go', more: ['run'] })
    expect(said).toMatch(text)
    expect(killCheck(undefined, first, { more, assumption: undefined })).toEqual({
      name: 'kill',
      state: 'not checked',
      text: 'It fails without a kill.',
    })
  })

  it('says no-go if it does not survive a kill, and names no kill if there is no call', async () => {
    const first = await ran(createEmulator())
    const kill = { operation: 'createModel', call: 1, moment: 'before' } as const
    const outcome = { kill, verdict: 'failed', text: 'A job is missing.' } as const
    expect(killCheck(outcome, first, { more, assumption: undefined })).toEqual({
      name: 'kill',
      state: 'no-go',
      text: 'A job is missing.',
      more: ['kill'],
    })
    expect(killCheck(undefined, first, { more, assumption: undefined }).text).toBe(
      'It makes no call at which it could be killed.',
    )
  })

  it('says why a command may wait for a job', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    await emulator.jobs.start({ model: 'poet' })
    const first = await ran(emulator, { ended: 'timeout' })
    expect(programCheck(first, more, 'Use --clock instant.').text).toMatch(
      /: the code waits forever for a job that does not end: .* Use --clock instant\.$/,
    )
  })

  it('names a mistake in the data, and how to allow it', async () => {
    const emulator = createEmulator()
    await train(emulator, [['Name a color.', 'Name a tree.']])
    const [check] = dataChecks(await ran(emulator), more)
    expect(check).toMatchObject({ name: 'data', state: 'no-go', more: ['checks'] })
    expect(check!.text).toContain('(mixedPrompts: false allows it)')
  })

  it('does not judge rewards of answers that the emulator made up', async () => {
    const emulator = createEmulator()
    await trainOnEqualRewards(emulator)
    const checks = dataChecks(await ran(emulator), more)
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ['data', 'go'],
      ['rewards', 'not checked'],
    ])
    expect(checks[1]!.text).toMatch(/^The emulator makes answers up, so look yourself: /)
  })

  it('judges them if the scenario says so', async () => {
    const scenario = { name: 'strict', checks: { equal_rewards: 'fail' } } as const
    const emulator = createEmulator({ scenario })
    await trainOnEqualRewards(emulator)
    expect(dataChecks(await ran(emulator), more)).toMatchObject([{ name: 'data', state: 'no-go' }])
  })

  it('names what it could not judge', async () => {
    const first = await ran(createEmulator())
    expect(dataChecks(first, more)).toEqual([
      { name: 'data', state: 'not checked', text: 'It submitted no training job.' },
    ])
    const counts = { answered: 0, passed: 0, failures: [] }
    const [judge, own] = ['judge.example', 'api.example']
    const hosts = [
      { host: judge, refused: 2, ...counts },
      { host: own, refused: 0, ...counts, answered: 9 },
    ]
    expect(hostsCheck(hosts)?.text).toBe(
      'Calls to judge.example were refused. To allow them: --allow-host-out judge.example',
    )
    expect(hostsCheck(hosts.slice(1))).toBeUndefined()
  })

  it.each([
    [{}, 'not checked', /There is no --budget\.$/],
    [{ budget: '10-tokens' }, 'no-go', /^Over the budget 10-tokens: the run used \d+ tokens\. /],
    [{ budget: '1M-tokens', steps: 9 }, 'not checked', /^The budget 1M-tokens cannot be judged\. /],
  ] as const)('says what the bill is: %j', async (options, state, text) => {
    const emulator = createEmulator()
    await train(emulator, [PROMPTS])
    const check = billCheck(await ran(emulator, options), more)
    expect(check.state).toBe(state)
    expect(check.text).toMatch(text)
  })
})
