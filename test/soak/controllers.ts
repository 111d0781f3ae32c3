import { ControlError, type Client } from '../../src/client.js'
import type { FaultInput } from '../../src/service/scenario/scenario.js'
import { rest, type Part, type Player } from './player.js'
import { SECRET } from './receivers.js'
import { calmWeather, foulWeather, type Weather } from './scenarios.js'

/** Makes a call of the control API. It can be refused, but must not fail. */
async function call<T>(
  player: Player,
  what: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  player.ledger.count('control calls')
  player.ledger.waiting.set(player.who, what)
  try {
    return await work()
  } catch (error) {
    const refused = error instanceof ControlError && error.status < 500
    if (!refused && !player.ended.aborted) {
      player.ledger.find('answers', `control API, ${what}: ${String(error)}`, player.who)
    }
    return undefined
  } finally {
    player.ledger.waiting.delete(player.who)
  }
}

const OF_RUN = { state: 'finished', run: 'soak' } as const
const events = [
  ['RUN_STATE', OF_RUN],
  ['ADD_ARTIFACT_ALIAS', { alias: 'best' }],
  ['LINK_ARTIFACT', {}],
  ['RUN_METRIC', OF_RUN],
] as const

/** The changes that a client of the control API makes, by name. */
const acts: Readonly<Record<string, (player: Player, control: Client) => Promise<unknown>>> = {
  async 'acts on a job'({ draws }, control) {
    const jobs = await control.jobs.list()
    if (jobs.length === 0) return
    const { id } = draws.oneOf(jobs.slice(0, 20))
    const act = draws.oneOf(['fail', 'finish', 'stall', 'resume', 'resume', 'metrics'] as const)
    await control.jobs[act](id)
  },
  'creates a job': ({ draws }, control) => control.jobs.create({ model: `made-${draws.below(9)}` }),
  triggers: ({ draws }, control) => {
    const [event, facts] = draws.oneOf(events)
    return control.trigger(event, facts)
  },
  'triggers one webhook': ({ draws, receivers }, control) => {
    const to = draws.oneOf(Object.keys(receivers.hooks))
    return control.trigger('RUN_STATE', { state: 'failed', run: 'soak', to })
  },
  async resends({ draws }, control) {
    const deliveries = await control.deliveries.list({ limit: 30 })
    if (deliveries.length > 0) await control.deliveries.resend(draws.oneOf(deliveries).id)
  },
  'tests a webhook': ({ draws, receivers }, control) => {
    return control.webhooks.test(draws.oneOf(Object.keys(receivers.hooks)))
  },
  'enables a webhook': (_player, control) => control.webhooks.enable('gone'),
  settles: ({ draws }, control) => control.settle({ within: draws.below(300), most: 500 }),
  'waits for requests': ({ draws }, control) => {
    const count = draws.below(50)
    return control.requests.wait({ operation: 'createRlTrainingJob' }, { count, timeout: '500ms' })
  },
}

export const control: Part = async (player) => {
  const { draws, shared } = player
  const what = draws.oneOf(Object.keys(acts))
  await call(player, what, async () => acts[what]!(player, shared.control))
  await rest(player, 150)
}

/** Reads everything, as the dashboard does. */
export const look: Part = async (player) => {
  const { control: controls } = player.shared
  const looks: Record<string, () => Promise<unknown>> = {
    jobs: () => controls.jobs.list(),
    models: () => controls.models.list(),
    requests: () => controls.requests.list({ limit: 50 }),
    deliveries: () => controls.deliveries.list({ limit: 100 }),
    pending: () => controls.pending(),
    trace: () => controls.trace(),
    report: () => controls.report(),
    har: () => controls.har(),
    scenario: () => controls.scenarios.current(),
    clock: () => controls.clock.state(),
    faults: () => controls.faults.list(),
  }
  const what = player.draws.oneOf(Object.keys(looks))
  await call(player, `looking at ${what}`, looks[what]!)
  await rest(player, 250)
}

const faults: readonly FaultInput[] = [
  { fault: 'status', status: 503, probability: 0.2 },
  { fault: 'drop', stage: 'after', probability: 0.2 },
  { fault: 'delay', delay: '200ms', probability: 0.3 },
  { fault: 'hang', probability: 0.05 },
  { fault: 'trickle', bytes: 20, every: '2ms', probability: 0.2 },
  { fault: 'concurrency', most: 40 },
]

/** Adds webhooks to all receivers. One of them verifies signatures. */
export async function arm({
  receivers,
  shared,
}: Pick<Player, 'receivers' | 'shared'>): Promise<void> {
  const { control: controls } = shared
  await controls.secrets.set('SOAK', SECRET)
  const payload = { event: '${event_type}', run: '${run_name}', state: '${run_state}' }
  for (const [name, url] of Object.entries(receivers.hooks)) {
    const retries = ['500ms', '5s']
    const signature = { standard: true }
    await controls.webhooks.add({ name, url, timeout: '300ms', retries, secret: 'SOAK', signature })
    for (const event of ['RUN_STATE', 'CREATE_ARTIFACT'] as const) {
      await controls.automations.add({ name: `${name} ${event}`, webhook: name, event, payload })
    }
  }
}

/**
 * Changes one thing of the shared world at a time: the scenario, the clock, the faults, or all of
 * it.
 */
export function conductor(foul: boolean): Part {
  const weathers = foul ? [...foulWeather, ...calmWeather] : calmWeather
  return async (player) => {
    const { draws, shared, ledger } = player
    const deed = draws.unit()
    if (deed < 0.25) await begin(player, draws.oneOf(weathers))
    else if (deed < 0.5) await follow(player, draws.oneOf(weathers))
    else if (deed < 0.7) await moveTime(player)
    else if (foul && deed < 0.85) {
      ledger.count('faults added')
      await shared.change({ honest: false }, () =>
        call(player, 'adding a fault', () => shared.control.faults.add(draws.oneOf(faults))),
      )
    }
    await rest(player, 600)
  }
}

async function begin(player: Player, { name, scenario, honest }: Weather): Promise<void> {
  const { shared, ledger } = player
  ledger.count('resets')
  await shared.change({ reset: true, honest, scenario: name }, () =>
    call(player, `reset with ${name}`, async () => {
      await shared.control.scenarios.use(scenario, { reset: true })
      await arm(player)
    }),
  )
}

async function follow(player: Player, { name, scenario, honest }: Weather): Promise<void> {
  const { shared, ledger } = player
  ledger.count('scenarios switched')
  await shared.change({ honest, scenario: name }, () =>
    call(player, `following ${name}`, async () => {
      await shared.control.faults.clear()
      await shared.control.scenarios.use(scenario)
      await arm(player)
    }),
  )
}

async function moveTime(player: Player): Promise<void> {
  const { draws, shared } = player
  const mode = draws.oneOf(['real', 'real', 'auto', 'auto', 'manual', 'instant'] as const)
  await call(player, `clock ${mode}`, () => {
    return shared.control.useClock(mode, { speed: draws.oneOf([1, 20, 200, 5000]) })
  })
  if (mode !== 'manual') return
  await rest(player, 400)
  await call(player, 'advancing', () => shared.control.clock.advance(`${draws.below(30)}s`))
}
