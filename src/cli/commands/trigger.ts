import type { Facts } from '../../control/client/client.js'
import type { EventType } from '../../scenario/scenario.js'
import { eventTypes, type TriggerFacts } from '../../webhooks/trigger.js'
import { createEmulatorWith } from '../create-emulator.js'
import { flags as serveFlags, type Flag } from '../flags.js'
import { onlyOf } from '../given.js'
import { printable } from '../printable.js'
import type { Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { anyText, oneOf, seed, webUrl } from '../values.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { withRunning } from './running-emulator.js'

const flags = {
  url: { describe: 'Where it is sent to', value: webUrl },
  emulator: {
    describe: 'In place of --url: an emulator that runs, in which it happens',
    value: webUrl,
  },
  to: { describe: 'With --emulator: the webhook that it goes to', value: anyText('a name') },
  secret: {
    describe: 'What it is signed with',
    value: anyText('a secret'),
    defaultText: 'drawn from the seed, and printed',
  },
  seed: serveFlags.seed,
  entity: { describe: 'Whose change it is about', value: anyText('a name') },
  project: { describe: 'Where it happened', value: anyText('a name') },
  registry: { describe: 'In which registry, where in one', value: anyText('a name') },
  collection: { describe: "The artifact's collection", value: anyText('a name') },
  'artifact-version': { describe: "The artifact's version", value: seed },
  alias: { describe: 'The alias that was added', value: anyText('an alias') },
  tag: { describe: 'The tag that was added', value: anyText('a tag') },
  author: { describe: 'Who did it', value: anyText('a user') },
  run: { describe: "The run's name", value: anyText('a name') },
  state: { describe: "The run's state", value: oneOf(['running', 'finished', 'failed']) },
} as const satisfies Record<string, Flag>

/** Sends an event to a receiver, or makes it happen in an emulator; exits with 1 where that fails. */
export const trigger: Run = async (called, terminal) => {
  const read = await readArguments(called, { flags, takes: 'an event' })
  if (read.kind === 'text') {
    terminal.write(read.text)
    return 0
  }
  const { url, secret, emulator, to, 'artifact-version': version, ...rest } = read.flags
  const { seed: chosenSeed, ...facts } = rest
  const [written] = read.positionals
  const event = onlyOf({ named: 'trigger', texts: [written!.toUpperCase()] }, oneOf(eventTypes))!
  const about: TriggerFacts = { ...facts, version }
  if (emulator !== undefined) {
    refuseBeside(emulator, { url, secret, seed: chosenSeed })
    return inEmulator(
      { url: emulator, event, facts: { ...about, ...(to !== undefined && { to }) } },
      terminal,
    )
  }
  if (to !== undefined) throw new UsageError('--to is about the emulator of --emulator.')
  if (url === undefined) {
    throw new UsageError('trigger takes the URL of a receiver: --url http://… or of --emulator.')
  }
  return toReceiver({ url, secret, seed: chosenSeed, event, about }, terminal)
}

interface Sending {
  url: string
  secret: string | undefined
  seed: number | undefined
  event: EventType
  about: TriggerFacts
}

async function toReceiver(
  { url, secret, seed: chosenSeed, event, about }: Sending,
  { write, writeError }: Terminal,
): Promise<number> {
  const createEmulator = createEmulatorWith()
  const emulator = createEmulator({ seed: chosenSeed, clock: 'real', webhooks: [{ url, secret }] })
  const [target] = emulator.webhookTargets
  if (target!.generated) write(`Signed with ${target!.secret}`)
  const [delivery] = await emulator.trigger(event, { ...about, to: 'receiver' })
  await emulator.webhooks.idle()
  await emulator.close()
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

/** What only says something of a delivery of our own. */
function refuseBeside(emulator: string, named: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(named).find((name) => named[name] !== undefined)
  if (given === undefined) return
  throw new UsageError(`--${given} has no meaning beside --emulator ${emulator}: leave it out.`)
}

interface EngineEvent {
  url: string
  event: EventType
  facts: Facts
}

function inEmulator({ url, event, facts }: EngineEvent, terminal: Terminal): Promise<number> {
  return withRunning({ url }, terminal, async (client) => {
    const made = await client.trigger(event, facts)
    for (const id of made) {
      const { automation, webhook } = await client.deliveries.get(id)
      const of = `delivery ${id} of "${printable(automation)}"`
      terminal.write(`${event} to ${printable(webhook)}: ${of}`)
    }
    if (made.length > 0) return 0
    terminal.writeError(`${event}: no automation heeds it, nothing was sent.`)
    return 1
  })
}
