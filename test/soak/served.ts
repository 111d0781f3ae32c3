/**
 * The process under test: two emulators on real ports, one with a shared world and one with a world
 * for each key. It sends its parent data that no API has, and exits once the emulators are closed.
 */
import { createEmulator } from '../../src/index.js'
import type { Answered, Asked, Notice } from './served-process.js'

const shared = createEmulator({ clock: 'real', speed: 100 })
const isolated = createEmulator({ isolate: 'api-key' })
const emulators = [shared, isolated]

async function closeAll(): Promise<void> {
  await Promise.all(emulators.map((emulator) => emulator.close()))
}

function tell(message: Notice | Answered): void {
  process.send!(message)
}

process.on('unhandledRejection', (error) => tell({ notice: `unhandled: ${stackOf(error)}` }))
process.on('warning', (warning: Error & { code?: string }) => {
  // Clients choose scenarios whose webhooks have no receiver here.
  if (warning.code !== 'SVTRAIN_IDLE_WEBHOOKS') tell({ notice: `warning: ${stackOf(warning)}` })
})
shared.journal.subscribe((entry) => {
  if (entry.kind === 'request' && entry.fault !== undefined) {
    tell({ notice: `500 of ${entry.operation}: ${stackOf(entry.fault)}` })
  }
})

function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error)
}

function resources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function memory(): number {
  globalThis.gc!()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const answers: Record<Asked['ask'], () => unknown> = {
  async listen() {
    for (const emulator of emulators) await emulator.listen()
    return emulators.map(({ trainingUrl, inferenceUrl }) => ({ trainingUrl, inferenceUrl }))
  },
  state: () => ({
    resources: resources(),
    inFlight: emulators.reduce((sum, { inFlight }) => sum + inFlight, 0),
    deliveries: emulators.reduce((sum, { webhooks }) => sum + webhooks.inFlight, 0),
    due: emulators.reduce((sum, { clock }) => sum + clock.pending, 0),
  }),
  reset() {
    for (const emulator of emulators) emulator.reset('happy-path')
    shared.useClock('real', { speed: 100 })
  },
  memory,
  async close() {
    await closeAll()
    process.disconnect()
  },
}

// The process that started it may be killed.
process.on('disconnect', () => void closeAll())
process.on('message', ({ id, ask }: Asked) => {
  void Promise.resolve(answers[ask]()).then((value) => {
    if (process.connected) tell({ id, value })
  })
})
