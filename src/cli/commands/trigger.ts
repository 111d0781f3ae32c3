import { poolOfConnections } from '../../adapters/pooled-send.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../../built-in-scenarios.js'
import { EmulatorCore } from '../../emulator.js'
import { eventTypes, type TriggerFacts } from '../../webhooks/trigger.js'
import { flags as serveFlags, type Flag } from '../flags.js'
import { onlyOf } from '../given.js'
import { printable } from '../printable.js'
import { UsageError } from '../usage-error.js'
import { anyText, oneOf, seed, webUrl } from '../values.js'
import { Outgoing } from '../../webhooks/outgoing.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'

const flags = {
  url: { describe: 'Where it is sent to', value: webUrl },
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

/** Sends an event straight to a receiver; exits with 1 where that fails. */
export const trigger: Run = async (called, { write, writeError }) => {
  const read = await readArguments(called, { flags, takes: 'an event' })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { url, secret, 'artifact-version': version, seed: chosenSeed, ...facts } = read.flags
  const [written] = read.positionals
  const event = onlyOf({ named: 'trigger', texts: [written!.toUpperCase()] }, oneOf(eventTypes))!
  if (url === undefined) throw new UsageError('trigger takes the URL of a receiver: --url http://…')
  const pool = poolOfConnections()
  const core = new EmulatorCore({
    scenario: builtInScenario(DEFAULT_SCENARIO),
    seed: chosenSeed,
    clock: { mode: 'real' },
    webhooks: [{ url, secret }],
    outgoing: new Outgoing({ send: pool.send }),
  })
  const [target] = core.webhookTargets
  if (target!.generated) write(`Signed with ${target!.secret}`)
  const about: TriggerFacts = { ...facts, version }
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
