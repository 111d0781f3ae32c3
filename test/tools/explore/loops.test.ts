import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../src/cli/receiver-port.js'
import { createEmulator, type Emulator, type ScenarioInput } from '../../../src/index.js'
import { findingsIn } from '../../../src/emulator/testing/client-checks.js'
import { assertBuilt, Command } from '../../cli/command.js'
import { RunningProcess } from '../../support/running-process.js'
import { until } from '../../support/until.js'

/**
 * Two training loops, as users write them. `careful.mjs` is correct. `five-bugs.mjs` has five mistakes:
 *
 * 1. It repeats the creation of a job whenever a call fails, so it can pay for two jobs.
 * 2. After an error it goes back to the cursor of the page before, so it counts events twice.
 * 3. Its chats have no timeout.
 * 4. It chats with a new checkpoint as soon as the checkpoint is listed.
 * 5. Its webhook handler counts each delivery, so a delivery that comes twice makes two releases.
 */
type Loop = 'careful' | 'five-bugs'

const folder = join(import.meta.dirname, 'loops')

/** What a user who runs a loop by `explore` sees of it. */
interface Outcome {
  code: number | null
  /** The last line of stderr. */
  error: string
  /** Names of client checks that failed. */
  checks: string[]
}

interface Started {
  emulator: Emulator
  process: RunningProcess
}

async function startLoop(loop: Loop, scenario: ScenarioInput | string): Promise<Started> {
  const port = await freePort()
  const webhooks = [{ url: `http://127.0.0.1:${port}/hook` }]
  const emulator = createEmulator({ scenario, clock: 'instant', webhooks })
  onTestFinished(() => emulator.close())
  await emulator.listen({ port: 0, inferencePort: 0 })
  const env = {
    SVTRAIN_BASE_URL: emulator.trainingUrl,
    SVTRAIN_INFERENCE_URL: emulator.inferenceUrl,
    SVTRAIN_API_KEY: emulator.apiKey,
    SVTRAIN_WEBHOOK_PORT: String(port),
  }
  const args = [join(folder, `${loop}.mjs`)]
  return { emulator, process: new RunningProcess(process.execPath, args, { cwd: folder, env }) }
}

async function outcomeOf({ emulator, process }: Started): Promise<Outcome> {
  const code = await process.ended()
  const failed = findingsIn(emulator).filter(({ severity }) => severity === 'fail')
  const checks = new Set(failed.map(({ check }) => check))
  return { code, error: process.stderr.trim().split('\n').at(-1)!, checks: [...checks] }
}

async function run(loop: Loop, scenario: ScenarioInput | string): Promise<Outcome> {
  return outcomeOf(await startLoop(loop, scenario))
}

const steps = { event: 'gradient_step', count: 6 } as const

/** The smallest scenarios in which each mistake shows, except the one without a timeout. */
const mistakes: Record<string, { scenario: ScenarioInput; error: RegExp; checks: string[] }> = {
  'a blind retry on job creation': {
    scenario: {
      name: 'lost-answer',
      faults: [
        { fault: 'drop', stage: 'after', match: { operation: 'createRlTrainingJob' }, calls: 1 },
      ],
    },
    error: /^4 releases of 3 runs$/,
    checks: ['duplicateJobs'],
  },
  'a wrong cursor after an error': {
    scenario: {
      name: 'one-503',
      faults: [
        { fault: 'status', status: 503, match: { operation: 'listTrainingJobEvents' }, calls: 2 },
      ],
      jobs: [{ timeline: [{ event: 'training_started' }, steps, { event: 'training_ended' }] }],
    },
    // No client check finds it: a client may read from the start after an error, if it skips what it has seen.
    error: /^the curve has 2\d points for 18 gradient steps$/,
    checks: [],
  },
  'the use of a checkpoint before it is served': {
    scenario: {
      name: 'served-late',
      jobs: [
        {
          timeline: [
            { event: 'training_started' },
            { event: 'gradient_step' },
            { event: 'training_ended', checkpoint: { served_after: '10s' } },
          ],
        },
      ],
    },
    error: /^chat with step 1: 404 .*does not exist/,
    checks: [],
  },
  'a webhook handler that is not idempotent': {
    scenario: {
      name: 'sent-twice',
      webhooks: [{ name: 'receiver', adversary: [{ do: 'duplicate' }] }],
      automations: [
        {
          name: 'states',
          webhook: 'receiver',
          event: 'RUN_STATE',
          payload: { state: '${run_state}' },
        },
      ],
    },
    error: /^6 releases of 3 runs$/,
    checks: [],
  },
}

beforeAll(assertBuilt)

describe('training loops', { timeout: 60_000 }, () => {
  it.each(['careful', 'five-bugs'] as const)('%s.mjs works if all goes well', async (loop) => {
    const program = join(folder, `${loop}.mjs`)
    const command = new Command(['exec', '--clock', 'instant', '--', process.execPath, program])
    const [code, outcome] = await Promise.all([command.ended(), run(loop, 'happy-path')])
    expect(command.stderr).toMatch(
      /^3 jobs ended, newest checkpoint of [^:]+: step 3; \d+ chats\.\n$/,
    )
    expect(code).toBe(0)
    expect(outcome).toEqual({ code: 0, error: '', checks: [] })
  })

  it.each(Object.entries(mistakes))(
    'five-bugs.mjs has %s, and careful.mjs does not',
    async (_name, mistake) => {
      const [outcome, other] = await Promise.all([
        run('five-bugs', mistake.scenario),
        run('careful', mistake.scenario),
      ])
      expect(outcome.error).toMatch(mistake.error)
      expect(outcome.code).toBe(1)
      expect(outcome.checks).toEqual(mistake.checks)
      expect(other).toMatchObject({ code: 0, checks: [] })
    },
  )

  it('five-bugs.mjs has no timeout on chat, and careful.mjs has one', async () => {
    const scenario: ScenarioInput = {
      name: 'one-chat-hangs',
      faults: [{ fault: 'hang', match: { operation: '*ChatCompletion*' }, calls: 2 }],
    }
    const hanging = await startLoop('five-bugs', scenario)
    await until('a chat hangs', () => {
      return hanging.emulator.requests.all().some(({ lost }) => lost === 'hang')
    })
    // The careful loop meets the same fault, and ends after its timeout.
    expect(await run('careful', scenario)).toEqual({ code: 0, error: '', checks: [] })
    expect(hanging.process.code).toBeUndefined()
  })

  it('careful.mjs stops with a clear message if the service refuses for good', async () => {
    expect(await run('careful', 'quota-exhausted')).toEqual({
      code: 1,
      error: expect.stringMatching(
        /^The account cannot pay\. .*: 402, You exceeded your current quota/,
      ),
      checks: [],
    })
  })
})
