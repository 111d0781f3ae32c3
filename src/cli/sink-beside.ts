import type { PortOptions } from '../emulator/adapters/port.js'
import type { Emulator } from '../emulator/emulator.js'
import type { Settings } from './options/settings.js'
import { sinkListensSomewhere } from './ports.js'

type RefusalHandler = NonNullable<PortOptions['refused']>

/**
 * Starts a webhook sink, and adds it to the receivers of the emulator.
 *
 * @returns A function that stops it.
 * @throws {ListenError} When it cannot listen on the port.
 */
export async function startSink(
  emulator: Emulator,
  { host, sinkPort, allowedHosts }: Settings,
  refused: RefusalHandler,
): Promise<() => Promise<void>> {
  // Most starts do not need this code.
  const [{ WebhookSink }, { sinkOptionsFor }] = await Promise.all([
    import('../compose/create-sink.js'),
    import('../compose/emulator-sink.js'),
  ])
  const sink = new WebhookSink(sinkOptionsFor(emulator))
  await sinkListensSomewhere(sink, { host, port: sinkPort, allowedHosts, refused })
  emulator.attach(sink)
  return () => sink.close()
}
