import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/index.js'
import { checksFound } from './checks-found.js'
import { endings, trains, type Ending } from './endings.js'
import { resultOf, runCopy } from './python.js'

/**
 * Under every built-in scenario, a training loop ends the way the client ends against such a service.
 * The emulator never causes a hang. All loops run at once, in one process.
 */

const FOLDER = join(import.meta.dirname, '..', '..', 'scenarios')
const tested = readdirSync(FOLDER).map((file) => file.replace('.yaml', ''))

function endingOf(name: string): Ending {
  return endings[name] ?? trains
}

const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('openpipe-art 0.5.23, the newest', () => {
  const seen: Record<string, { ended: string; message: string }> = {}
  const lastCalls: Record<string, string | undefined> = {}
  const emulators: Record<string, Emulator> = {}
  afterAll(() => Promise.all(Object.values(emulators).map((emulator) => emulator.close())))

  beforeAll(async () => {
    for (const name of tested) {
      const emulator = createEmulator({ scenario: name, clock: endingOf(name).clock ?? 'auto' })
      emulators[name] = emulator
      await emulator.listen()
      emulator.journal.subscribe((entry) => {
        if (entry.kind === 'request') lastCalls[name] = entry.operation
      })
    }
    const worlds = tested.map((name) => {
      const { trainingUrl: url, apiKey: key } = emulators[name]!
      const { ended, timeout = null, judge = false, stream = false } = endingOf(name)
      const { rewards = [0, 1], rounds = 1, maxExceptions = 0 } = endingOf(name)
      const rollouts = { judge, stream, rewards, rounds, max_exceptions: maxExceptions }
      return { url, key, timeout, endless: ended === 'still waiting', ...rollouts }
    })
    const ran = await runCopy(newest, [join('clients', 'art_scenarios.py')], {
      SVTRAIN_WORLDS: JSON.stringify(worlds),
      WANDB_MODE: 'disabled',
    })
    for (const [index, ending] of resultOf<(typeof seen)[string][]>(ran).entries()) {
      seen[tested[index]!] = ending
    }
  }, 300_000)

  it('has no ending of a scenario that is not built in', () => {
    expect(Object.keys(endings).filter((name) => !tested.includes(name))).toEqual([])
  })

  it.each(tested)('under %s', (name) => {
    const { ended, message, found = [], mayFind = [] } = endingOf(name)
    const end = seen[name]!
    expect(end).toMatchObject({ ended })
    if (typeof message === 'string') expect(end.message).toBe(message)
    else expect(end.message).toMatch(message)
    const checks = checksFound(emulators[name]!).filter((check) => !mayFind.includes(check))
    expect(checks).toEqual(found)
    // A loop that waits, waits for the job, and still gets answers.
    if (ended === 'still waiting') expect(lastCalls[name]).toBe('listTrainingJobEvents')
  })
})
