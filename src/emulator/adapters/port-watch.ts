import { ownPorts, type OwnPort } from '../../base/clock/lookout.js'

/** A port that is open. */
export interface OpenPort {
  readonly url: string
  /** Its connections now. A client in this process may leave one open that it does not use. */
  readonly connections: () => Iterable<{ readonly bytesRead: number }>
}

/** What looks at the ports of this process. */
export interface PortWatch {
  /** Called when a port is open. */
  readonly add: (server: object, port: OpenPort) => void
  /** Called when somebody closes the port. */
  readonly delete: (server: object) => void
}

let watch: PortWatch | undefined

/** Tells `ports` of each port that opens in this process from now on. */
export function watchPorts(ports: PortWatch): void {
  watch = ports
}

/** Says that a port is open, and how far the clock has to wait for its clients. */
export function portOpened(server: object, port: OpenPort & OwnPort): void {
  ownPorts.set(server, port)
  watch?.add(server, port)
}

/** Says that somebody closes a port. */
export function portClosed(server: object): void {
  ownPorts.delete(server)
  watch?.delete(server)
}
