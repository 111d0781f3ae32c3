import { onTestFinished } from 'vitest'
import { createProject } from '../../support/project.js'
import type { Reproductions, Seen } from './reproduction.js'

/** A client that sleeps a second before each poll. The clock of its process is wound, so nobody waits. */
const sleepyClient = (clock: string): string => `
  let slept = 0
  const { now } = performance
  performance.now = () => now.call(performance) + slept
  const { createEmulator } = await import('svtrain-emulator')

  const step = [{ event: 'gradient_step', count: 1 }, { event: 'pause', for: '1s' }]
  const timeline = [{ event: 'training_started' }, ...step, ...step, ...step, ...step]
  timeline.push({ event: 'training_ended' })
  const scenario = { name: 'mine', jobs: [{ timeline }] }
  const emulator = createEmulator({ clock: '${clock}', scenario })
  const { id } = await emulator.jobs.start({ model: 'poet' })
  const headers = { authorization: 'Bearer any-key' }
  do {
    slept += 1000
    const events = emulator.trainingUrl + '/preview/training-jobs/' + id + '/events'
    await emulator.fetch(events, { headers })
  } while (emulator.job().status !== 'ended')
  console.log(emulator.trace())
  await emulator.close()
`

/** A chat after a job, before its checkpoint is served, and one after. */
const chatAfterJob = (suffix: string): string => `
  import { createEmulator } from 'svtrain-emulator'

  const emulator = createEmulator({ scenario: 'checkpoint-not-served', clock: 'manual' })
  await emulator.jobs.start({ model: 'poet' })
  emulator.clock.advance('8s')
  const [{ path }] = emulator.db.models.all().map(({ entity, project, name }) => ({ path: [entity, project, name] }))
  const body = {
    model: 'artifact:///' + path.join('/') + '${suffix}',
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const chat = () =>
    emulator.fetch(emulator.inferenceUrl + '/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  let answer = await chat()
  while (answer.status === 404) {
    emulator.clock.advance('5s')
    answer = await chat()
  }
  console.log(answer.status)
`

/** A job under a scenario whose webhook has no URL. */
const stormWith = (sink: string): string => `
  import { createEmulator } from 'svtrain-emulator'

  const emulator = createEmulator({ scenario: 'webhook-storm', clock: 'instant' })
  ${sink}
  const { status } = await emulator.jobs.start({ model: 'poet' })
  console.log(status)
  await emulator.close()
`

/** A test that opens a port. So that it ends, the warning closes it. */
const opensPort = (after: string): string => `
  import { after, test } from 'node:test'
  import { createEmulator } from 'svtrain-emulator'

  const emulator = createEmulator()
  process.once('warning', () => emulator.close())
  test('listens', async () => {
    await emulator.listen()
  })
  ${after}
`

/** What is said by a program with a mistake, and whether one without it passes without a warning. */
async function seen(wrong: string, right: string, passes: string): Promise<Seen> {
  const { node, remove } = await createProject()
  onTestFinished(remove)
  const [said, fixed] = await Promise.all(
    [wrong, right].map((program) => node(['--input-type=module', '--eval', program])),
  )
  return { said: said!, isFixed: fixed!.includes(passes) && !fixed!.includes('SVTRAIN_') }
}

export const warnings: Reproductions = {
  SVTRAIN_REAL_TIME_POLLS: () => seen(sleepyClient('real'), sleepyClient('instant'), 'ended\n'),

  SVTRAIN_SLEEPING_CLIENT: () => seen(sleepyClient('auto'), sleepyClient('instant'), 'ended\n'),

  SVTRAIN_OPEN_PORTS: () =>
    seen(opensPort(''), opensPort('after(() => emulator.close())'), 'pass 1'),

  SVTRAIN_IDLE_WEBHOOKS: () => seen(stormWith(''), stormWith('emulator.createSink()'), 'ended'),

  SVTRAIN_BASE_ANSWERS: () => seen(chatAfterJob(''), chatAfterJob(':step1'), '200'),
}
