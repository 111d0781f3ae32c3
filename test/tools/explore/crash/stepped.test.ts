import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { crashOptions } from '../../../../src/tools/explore/crash/kill.js'
import type { ExploredWorld } from '../../../../src/explore.js'
import type { ExploreReport } from '../../../../src/tools/explore/exploration.js'
import { nextStep, startSteps, type SteppedTrial } from '../../../../src/tools/explore/stepped.js'
import { armKill } from '../../../../src/tools/explore/crash/armed-kill.js'
import { clientOf } from '../../../support/api-client.js'
import { createModel, listEvents, startJob } from '../../../support/trainer.js'
import { loop, type Mistakes } from './loops.js'

/** Rehearses kills of a loop in steps, as the plugin of pytest does. Returns the report and what was tried. */
async function rehearsed(
  mistakes: Mistakes,
  crash: true | readonly string[] = true,
): Promise<{ report: ExploreReport; trials: SteppedTrial[]; ends: string[] }> {
  await using emulator = createEmulator({ clock: 'auto' })
  const options = { ...crashOptions(crash, undefined), checks: {} }
  const trials: SteppedTrial[] = []
  const ends: string[] = []
  let state = new Map<string, unknown>()
  for (let step = await startSteps(emulator, options); ;) {
    if (step.report) return { report: step.report, trials, ends }
    const { trial } = step
    trials.push(trial)
    if (trial.start === 1) state = new Map()
    const world = { state } as unknown as ExploredWorld
    const error = await Promise.resolve(loop(mistakes)(emulator, world)).then(
      () => undefined,
      String,
    )
    ends.push(error ?? 'success')
    step = await nextStep(emulator, { ended: error === undefined ? 'success' : 'error', error })
  }
}

it('has no trial after its report, and leaves the world to whoever comes then', async () => {
  await using emulator = createEmulator()
  await startSteps(emulator, { checks: {}, runs: 1, seed: 1 })
  expect(emulator.engine.warnings.isQuiet).toBe(true)
  let step = await nextStep(emulator, { ended: 'success' })
  while (!step.report) step = await nextStep(emulator, { ended: 'success' })
  expect(emulator.engine.warnings.isQuiet).toBe(false)
  await emulator.models.create({ name: 'poet' })
  await expect(nextStep(emulator, { ended: 'timeout' })).rejects.toThrow(
    'No trial of an exploration',
  )
  expect(emulator.engine.store.models.count()).toBe(1)
})

it('leaves nothing behind for the exploration that replaces it', async () => {
  await using emulator = createEmulator({ clock: 'instant' })
  const killed = { ...crashOptions(true, undefined), checks: {} }
  await startSteps(emulator, killed)
  expect(emulator.clock.mode).toBe('auto')
  const [replaced, step] = await Promise.all([
    startSteps(emulator, killed),
    startSteps(emulator, { checks: {}, runs: 1 }),
  ])
  expect([replaced.report?.ended, step.trial?.number]).toEqual(['interrupted', 1])
  expect(emulator.clock.mode).toBe('instant')
  expect(emulator.engine.warnings.isQuiet).toBe(true)
})

describe('an exploration in steps with kills', () => {
  it('finds nothing wrong with a loop that survives, and starts it once more after each kill', async () => {
    const { report, trials, ends } = await rehearsed({})
    expect(report.failures).toEqual([])
    expect(report.runs.length).toBeGreaterThan(10)
    const killed = trials.filter(({ start }) => start === 2)
    expect(killed).toHaveLength(report.runs.length - 2)
    // The kill is an error at the call, and the second start knows nothing of it.
    for (const [at, { start, kill }] of trials.entries()) {
      if (start === 2 || !kill) expect(ends[at]).toBe('success')
      else expect(ends[at]).not.toBe('success')
    }
  })

  it('finds a mistake that code shows after a kill', async () => {
    const { report } = await rehearsed({ newModel: true }, ['createRlTrainingJob:2:after'])
    expect(report.failures).toMatchObject([
      {
        title: 'a restart creates another model',
        kill: { operation: 'createRlTrainingJob', call: 2, moment: 'after' },
      },
    ])
  })

  it('lets no time pass while dead code calls again, as a library with retries does', async () => {
    await using emulator = createEmulator({ clock: 'auto' })
    const kill = { operation: 'createRlTrainingJob', call: 1, moment: 'after' } as const
    const armed = await armKill(emulator, kill, () => {}, { drops: true })
    const client = clientOf(emulator)
    const { id } = await createModel(client, 'poet')
    const job = await startJob(client, id)
    const before = emulator.clock.now()
    for (let call = 0; call < 6; call++)
      await expect(listEvents(client, job)).rejects.toThrow('fetch failed')
    expect(armed.struck).toBe(true)
    expect([emulator.clock.now(), emulator.job().status]).toEqual([before, 'queued'])
  })
})
