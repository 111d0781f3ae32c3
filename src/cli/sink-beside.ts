import type { PortOptions } from '../adapters/listen.js'
import type { EmulatorCore } from '../emulator/emulator.js'
import type { Settings } from './options.js'
import { sinkListensSomewhere } from './ports.js'

type Refused = NonNullable<PortOptions['refused']>

/**
 * A webhook sink beside the emulator, which sends to it from now on. Returns what stops it. Raises
 * `ListenError`.
 */
export async function startSink(
  core: EmulatorCore,
  { host, sinkPort, allowedHosts }: Settings,
  refused: Refused,
): Promise<() => Promise<void>> {
  // Most starts have none.
  const [{ WebhookSink }, { sinkOptionsFor }] = await Promise.all([
    import('../compose/create-sink.js'),
    import('../compose/emulator-sink.js'),
  ])
  const sink = new WebhookSink(sinkOptionsFor(core))
  await sinkListensSomewhere(sink, { host, port: sinkPort, allowedHosts, refused })
  core.attach(sink)
  return () => sink.close()
}
