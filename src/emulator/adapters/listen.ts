import { portOf } from './bind.js'
import type { ListenOptions } from './listen-options.js'
import type { Handler } from './node-http.js'
import { bindPort, closePort } from './port.js'
import type { LayerParts } from './port-layers.js'
import type { BoundPorts } from './port-url.js'

/** An emulator that listens. */
export interface Listening extends BoundPorts {
  /** Stops listening. Open answers get up to a second to finish. */
  close(): Promise<void>
}

type Reporting = Pick<LayerParts, 'background' | 'receive'>

/**
 * Opens a port for each of the two hosts. Resolves when both are ready.
 *
 * @throws {ListenError} When a port can't be bound.
 */
export async function listen(
  handler: Handler,
  options: ListenOptions & Reporting = {},
): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, inferencePort = 0 } = options
  const withControl = { ...options, host, port, isControlled: true }
  const training = await bindPort(handler, 'training', withControl)
  try {
    const withoutControl = { ...options, host, port: inferencePort }
    const inference = await bindPort(handler, 'inference', withoutControl)
    // Both are bound by now: a client that has an answer of one of them can use the other one.
    for (const bound of [training, inference]) bound.answer()
    return {
      host,
      port: portOf(training.server),
      inferencePort: portOf(inference.server),
      close: async () => {
        await Promise.all([closePort(training.server), closePort(inference.server)])
      },
    }
  } catch (error) {
    await closePort(training.server)
    throw error
  }
}
