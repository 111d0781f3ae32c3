import { EmulatorError, createEmulator, type Emulator, type Snapshot } from '../../../src/index.js'
import { holdsFunction } from '../../../src/base/text/holds-function.js'
import { savedParts } from '../../../src/emulator/saved-parts.js'
import { wholeWorld } from '../../../src/service/engine/saved/save.js'
import type { Send } from '../../../src/webhooks/sending/transport.js'
import { ask, readAll } from './read-all.js'
import type { Verdict } from './kind.js'

/** A receiver in this process, which refuses every other delivery. */
export const send: Send = ({ body }) =>
  Promise.resolve({ status: body.length % 2 === 0 ? 200 : 500, body: 'heard' })

/** Everything that a refused input must leave as it was. */
export function stateOf(emulator: Emulator): string {
  const { clock, engine, webhooks, scenario, seed } = emulator
  // Checkpoints become artifacts when anybody looks at artifacts. That is no effect of an input.
  void engine.platformWithCheckpoints()
  return [
    JSON.stringify([...wholeWorld({ parts: savedParts, world: { engine, webhooks } })]),
    JSON.stringify({
      seed,
      scenario: scenario.name,
      own: emulator.ownScenarios.map(({ name }) => name),
      clock: [clock.now(), clock.mode, clock.speed, clock.pending],
      faults: engine.faults.all.map(({ name, hits, open }) => [name, hits, open]),
      secrets: Object.entries(webhooks.parts.secrets),
      deliveries: webhooks.deliveries.map(({ id, status }) => [id, status]),
    }),
  ].join('\n')
}

/** Fails with the first difference if an input had an effect that it must not have. */
export function assertSame(
  before: string,
  after: string,
  what = 'A refused input had an effect.',
): void {
  if (before === after) return
  const at = differenceIn(before, after)
  const from = Math.max(0, at - 120)
  throw new Error(
    `${what}\n  before: …${before.slice(from, at + 120)}\n  after:  …${after.slice(from, at + 120)}`,
  )
}

/** Where two texts begin to differ. */
function differenceIn(one: string, two: string): number {
  let at = 0
  while (at < one.length && one[at] === two[at]) at++
  return at
}

/** Runs something that throws an error of the package or succeeds. Any other error is a mistake. */
export async function verdictOf(work: () => unknown): Promise<Verdict> {
  try {
    await work()
    return 'accepted'
  } catch (error) {
    if (error instanceof EmulatorError && error.message !== '') return 'refused'
    throw error
  }
}

/**
 * Uses a world that an input led to: every read is answered, time passes, and its snapshot can be restored with
 * the same content.
 */
export async function useWorld(emulator: Emulator, other: Emulator): Promise<void> {
  await emulator.webhooks.idle()
  if (emulator.clock.mode === 'real') emulator.clock.use('manual')
  emulator.clock.advance('90s')
  await emulator.webhooks.idle()
  await readAll(emulator)
  await assertRoundTrip(emulator, other)
}

/** Fails unless a snapshot that was restored is saved as the same snapshot. */
export async function assertRoundTrip(emulator: Emulator, other: Emulator): Promise<void> {
  const { body } = await ask(emulator, 'GET /_emulator/snapshot')
  const saved = JSON.parse(body) as Snapshot
  // Functions cannot be saved. A world gets them from the scenario that it follows.
  if (holdsFunction(emulator.scenario)) other.follow(emulator.scenario)
  other.restore(saved)
  const again = await other.snapshot()
  if (again.digest === saved.digest) return
  const [one, two] = [openedText(saved), openedText(again)]
  const at = differenceIn(one, two)
  const from = Math.max(0, at - 200)
  throw new Error(
    `A restored snapshot is saved with other content.\n  before: …${one.slice(from, at + 120)}\n  after:  …${two.slice(from, at + 120)}`,
  )
}

function openedText({ records, secrets = '' }: Snapshot): string {
  return `${JSON.stringify(records)}${Buffer.from(secrets, 'base64').toString()}`
}

/** An emulator for inputs, with the clock of tests. */
export function emptyEmulator(): Emulator {
  return createEmulator({ clock: 'manual', send })
}

/** An emulator with the world of a snapshot. */
export function emulatorWith(snapshot: Snapshot): Emulator {
  return createEmulator({ snapshot, clock: 'manual', send })
}

/** Whether the built-in prototypes have only their own keys. */
export function assertUnpolluted(): void {
  if ('polluted' in {} || 'polluted' in [] || 'polluted' in Object(1)) {
    throw new Error('A prototype was changed.')
  }
}
