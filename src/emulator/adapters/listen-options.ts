import { aListedHost } from '../../base/text/authority.js'
import {
  anyFunction,
  aPort,
  aSecret,
  listOf,
  nonEmptyText,
  Options,
  parts,
  type Table,
} from '../../base/text/options.js'
import type { LayerOptions } from './port-layers.js'
import { portLimits, type PortLimits } from './port-limits.js'

/** The options of `emulator.listen()`. */
export interface ListenOptions extends LayerOptions {
  /**
   * The address to bind. Default: `127.0.0.1`, and `::1` too if the machine has IPv6, so that clients
   * reach it as `localhost`.
   */
  host?: string
  /** The port of the training API. Default: 0, any free port. */
  port?: number
  /** The port of the inference API. Default: 0, any free port. */
  inferencePort?: number
  /**
   * The token for calls of the control API that change something. Default: none on loopback, otherwise
   * a random one, `emulator.controlToken`.
   */
  controlToken?: string | undefined
  /** Limits for clients. Default: the defaults of `PortLimits`. */
  limits?: Partial<PortLimits>
}

/** The options of a port without a control API. */
export type OnePort = Omit<ListenOptions, 'inferencePort' | 'controlToken' | 'use'>

export const portTable: Table<OnePort> = {
  host: nonEmptyText,
  port: aPort,
  allowedHosts: listOf(aListedHost),
  corsOrigins: listOf(nonEmptyText),
  limits: parts(portLimits),
  refused: anyFunction,
}

export const listenOptions = new Options<ListenOptions>('listen', {
  ...portTable,
  inferencePort: aPort,
  controlToken: aSecret,
  use: listOf(anyFunction),
})
