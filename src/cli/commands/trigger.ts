import { poolOfConnections } from '../../adapters/pooled-send.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../../scenario/built-in-scenarios.js'
import type { Facts } from '../../control/client/webhooks.js'
import { EmulatorCore } from '../../emulator/emulator.js'
import type { EventType } from '../../scenario/scenario.js'
import type { TriggerFacts } from '../../webhooks/trigger.js'
import { printable, type Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { Outgoing } from '../../webhooks/outgoing.js'
import type { Run } from '../context.js'
import { withRunning } from './running-emulator.js'

interface Arguments {
  event: EventType
  url: string | undefined
  emulator: string | undefined
  to: string | undefined
  secret: string | undefined
  seed: number | undefined
  entity: string | undefined
  project: string | undefined
  registry: string | undefined
  collection: string | undefined
  'artifact-version': number | undefined
  alias: string | undefined
  tag: string | undefined
  author: string | undefined
  run: string | undefined
  state: 'running' | 'finished' | 'failed' | undefined
}

/** Sends an event to a receiver, or makes it happen in a running emulator. Returns 1 if that fails. */
export const trigger: Run<Arguments> = async (args, { terminal }) => {
  const { event, url, emulator, to, secret, seed } = args
  const { entity, project, registry, collection, alias, tag, author, run, state } = args
  const version = args['artifact-version']
  const about: TriggerFacts = {
    entity,
    project,
    registry,
    collection,
    version,
    alias,
    tag,
    author,
    run,
    state,
  }
  if (emulator !== undefined) {
    return inEmulator(
      { url: emulator, event, facts: { ...about, ...(to !== undefined && { to }) } },
      terminal,
    )
  }
  if (to !== undefined) throw new UsageError('--to needs --emulator, which was not given.')
  if (url === undefined) {
    throw new UsageError(
      'trigger takes the URL of a receiver (--url http://…) or of an emulator (--emulator http://…); none was given.',
    )
  }
  return toReceiver({ url, secret, seed, event, about }, terminal)
}

interface Sending {
  url: string
  secret: string | undefined
  seed: number | undefined
  event: EventType
  about: TriggerFacts
}

async function toReceiver(
  { url, secret, seed, event, about }: Sending,
  { write, writeError }: Terminal,
): Promise<number> {
  const pool = poolOfConnections()
  const core = new EmulatorCore({
    scenario: builtInScenario(DEFAULT_SCENARIO),
    seed,
    clock: { mode: 'real' },
    webhooks: [{ url, secret }],
    outgoing: new Outgoing({ send: pool.send }),
  })
  const [target] = core.webhookTargets
  if (target!.generated) write(`Signed with ${target!.secret}`)
  const [delivery] = await core.trigger(event, { ...about, to: 'receiver' })
  await core.webhooks.idle()
  await pool.close()
  core.stop()
  const { status, answer = '', error } = delivery!.attempts[0]!
  if (error !== undefined) {
    writeError(`${event} to ${printable(url)}: ${printable(error)}`)
    if (answer !== '') writeError(printable(answer))
    return 1
  }
  write(`${event} to ${printable(url)}: ${status}`)
  if (answer !== '') write(printable(answer))
  return 0
}

interface Happening {
  url: string
  event: EventType
  facts: Facts
}

function inEmulator({ url, event, facts }: Happening, terminal: Terminal): Promise<number> {
  return withRunning({ url }, terminal, async (client) => {
    const made = await client.trigger(event, facts)
    for (const id of made) {
      const { automation, webhook } = await client.deliveries.get(id)
      const of = `delivery ${id} of "${printable(automation)}"`
      terminal.write(`${event} to ${printable(webhook)}: ${of}`)
    }
    if (made.length > 0) return 0
    terminal.writeError(`${event}: no automation matches it; nothing was sent.`)
    return 1
  })
}
