import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { factsOf, type EventFact } from '../../service/scenario/event-types.js'
import type { Facts } from '../../emulator/control/client/webhooks.js'
import type { EventType } from '../../service/scenario/scenario.js'
import type { TriggerFacts } from '../../webhooks/sending/trigger.js'
import { printable, type Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { trigger } from '../commands/trigger.js'
import { createEmulatorWith } from '../create-emulator.js'
import { withRunning } from './running-emulator.js'

/** Sends an event to a receiver, or makes it happen in a running emulator. Returns 1 if that fails. */
export const runCommand: Run<typeof trigger> = async (args, { terminal }) => {
  const { event, url, emulator, to, secret, seed } = args
  const about = factsIn(args)
  if (emulator !== undefined)
    return inEmulator({ emulator, event, facts: { ...about, to } }, terminal)
  if (url === undefined) {
    throw new UsageError(
      'trigger takes the URL of a receiver (--url http://…) or of an emulator (--emulator http://…); none was given.',
    )
  }
  return toReceiver({ url, secret, seed, event, about }, terminal)
}

type Arguments = ArgumentsOf<typeof trigger>

/**
 * The facts that were given.
 *
 * @throws {UsageError} When the event does not have one of them.
 */
function factsIn(args: Arguments): TriggerFacts {
  const { event, entity, project, registry, collection, alias, tag, author, run, state } = args
  const version = args['artifact-version']
  const facts = { entity, project, registry, collection, version, alias, tag, author, run, state }
  const names = Object.keys(facts) as (keyof typeof facts)[]
  const known = names.filter((name) => factsOf(event).includes(name))
  const stray = names.find((name) => facts[name] !== undefined && !known.includes(name))
  if (stray === undefined) return facts
  const taken = known.map(optionOf).join(', ')
  throw new UsageError(`${event} has no ${optionOf(stray)}; leave it out. It takes: ${taken}.`)
}

function optionOf(fact: EventFact): string {
  return fact === 'version' ? '--artifact-version' : `--${fact}`
}

interface Sending extends Pick<Arguments, 'event' | 'secret' | 'seed'> {
  url: string
  about: TriggerFacts
}

async function toReceiver(
  { url, secret, seed, event, about }: Sending,
  { write, writeError }: Terminal,
): Promise<number> {
  const createEmulator = createEmulatorWith()
  const emulator = createEmulator({ seed, clock: 'real', webhooks: [{ url, secret }] })
  const [receiver] = emulator.receivers
  if (receiver!.generated) write(`Signed with ${receiver!.secret}`)
  const [delivery] = await emulator.trigger(event, { ...about, to: 'receiver' })
  await emulator.webhooks.idle()
  await emulator.close()
  const { status, answer = '', error } = delivery!.attempts[0]!
  const sent = printable(`${event} to ${withoutCredentials(url)}`)
  if (error !== undefined) {
    writeError(`${sent}: ${printable(error)}`)
    if (answer !== '') writeError(printable(answer))
    return 1
  }
  write(`${sent}: ${status}`)
  if (answer !== '') write(printable(answer))
  return 0
}

interface TriggerInput {
  emulator: string
  event: EventType
  facts: Facts
}

function inEmulator({ emulator, event, facts }: TriggerInput, terminal: Terminal): Promise<number> {
  return withRunning({ emulator }, terminal, async (client) => {
    const deliveries = await client.trigger(event, facts)
    for (const id of deliveries) {
      const { automation, webhook } = await client.deliveries.get(id)
      const delivery = `delivery ${id} of "${printable(automation)}"`
      terminal.write(`${event} to ${printable(webhook)}: ${delivery}`)
    }
    if (deliveries.length > 0) return 0
    terminal.writeError(`${event}: no automation matches it; nothing was sent.`)
    return 1
  })
}
