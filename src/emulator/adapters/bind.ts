import type { Server } from 'node:http'
import {
  createServer as createNetServer,
  type AddressInfo,
  type Server as NetServer,
} from 'node:net'
import type { BackgroundErrors } from '../../base/text/background-errors.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/**
 * Thrown when a port can't be bound. Its code is `SVTRAIN_PORT_TAKEN` if another program uses the port, and
 * otherwise `SVTRAIN_CANNOT_LISTEN`.
 */
export class ListenError extends EmulatorError {
  override readonly name = 'ListenError'
  readonly code: 'SVTRAIN_PORT_TAKEN' | 'SVTRAIN_CANNOT_LISTEN'
  /** The port that was requested. */
  readonly port: number
  constructor({ host, port }: { host: string; port: number }, cause: NodeJS.ErrnoException) {
    const taken = cause.code === 'EADDRINUSE'
    super(
      taken
        ? `Failed to listen on port ${port} of ${host}: it is in use by another program.`
        : `Failed to listen on port ${port} of ${host}: ${cause.message}.`,
      { cause },
    )
    this.code = taken ? 'SVTRAIN_PORT_TAKEN' : 'SVTRAIN_CANNOT_LISTEN'
    this.port = port
  }
}

/** Binds a port, on IPv6 as well if the host is `127.0.0.1`. */
export async function bindBoth(server: Server, binding: Binding): Promise<void> {
  const { host, port } = binding
  for (let left = TRIES; ; left--) {
    await bind(server, binding)
    if (host !== '127.0.0.1') return
    try {
      return await bindIpv6(server, binding)
    } catch (error) {
      await closed(server)
      if (port !== 0 || left === 1) throw error
    }
  }
}

interface Binding {
  readonly host: string
  readonly port: number
  /** Takes the errors of a port that is open, such as too many open files. They close nothing. */
  readonly background: BackgroundErrors
}

/** The most attempts to find a port that is free on both IPv4 and IPv6. */
const TRIES = 10

/**
 * Binds a port.
 *
 * @throws {ListenError} When it can't be bound.
 */
export function bind(server: NetServer, { host, port, background }: Binding): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(new ListenError({ host, port }, error))
    // An error that nobody handles would end the process.
    const shown = background.callback(`accept a connection on ${host}`, (error: Error) => {
      throw error
    })
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed).on('error', shown)
      server.once('close', () => server.off('error', shown))
      resolve()
    })
  })
}

/** The servers on `127.0.0.1`, each with the one that listens on `::1` for it. */
const ipv6Of = new WeakMap<Server, NetServer>()

/** Accepts connections on `::1`, if the machine has that address. */
async function bindIpv6(server: Server, { background }: Binding): Promise<void> {
  const twin = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  )
  twin.maxConnections = server.maxConnections
  try {
    await bind(twin, { host: '::1', port: portOf(server), background })
    ipv6Of.set(server, twin)
  } catch (error) {
    if ((error as ListenError).code === 'SVTRAIN_PORT_TAKEN') throw error
  }
}

/** The number of a bound port. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Accepts no more connections, on IPv6 neither. Resolves when the open ones are closed. */
export async function closeBoth(server: Server): Promise<void> {
  const listening = [server, ipv6Of.get(server)].filter((each) => each !== undefined)
  await Promise.all(listening.map(closed))
}

function closed(server: NetServer): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()))
}
