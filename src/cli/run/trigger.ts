import { withoutCredentials } from '../../base/text/redaction/credentials.js'
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
      { emulator, event, facts: { ...about, ...(to !== undefined && { to }) } },
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

interface Sending extends Pick<ArgumentsOf<typeof trigger>, 'event' | 'secret' | 'seed'> {
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
