import type { Socket } from 'node:net'
import { TLSSocket, type SecureContext } from 'node:tls'
import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import { failingWith, type BackgroundErrors } from '../../base/text/background-errors.js'
import { ESTABLISHED } from './tunnel.js'

interface TunnelOpening {
  readonly secureContext: SecureContext
  /** How long a client may take to begin, and then for its handshake, in milliseconds. */
  readonly patience: number
  readonly background: BackgroundErrors
  /** Takes the calls of the connection from then on. */
  readonly take: (socket: Socket) => void
  /** The connection ends: why it could not be used. Undefined: the client left. */
  readonly ended: (reason: string | undefined) => void
}

/** Speaks in place of a host: TLS or plain HTTP, as the client begins. */
export async function beginTunnel(socket: Socket, opening: TunnelOpening): Promise<void> {
  const { secureContext, patience, background, take, ended } = opening
  socket.write(ESTABLISHED)
  const begun = await beginning(socket, 'data', patience)
  if ('reason' in begun) {
    socket.destroy()
    return ended(begun.reason)
  }
  if (begun.first?.[0] !== TLS_HANDSHAKE) {
    take(socket)
    return void socket.resume()
  }
  const secure = new TLSSocket(socket, {
    isServer: true,
    secureContext,
    ALPNProtocols: ['http/1.1'],
  })
  let failure: string | undefined
  // They stay: some clients tell after the handshake why they leave, and some, such as Node, only leave.
  const failed = background.callback('end a handshake', (error: NodeJS.ErrnoException) => {
    // A client that ends leaves like one that needs no more connections.
    if (error.code !== 'ECONNRESET') failure = handshakeText(error)
    secure.destroy()
  })
  const closed = background.callback('end a tunnel', () => ended(failure))
  secure.on('error', failed).once('close', closed)
  const secured = await beginning(secure, 'secure', patience)
  // From then on, the server decides when a connection ends.
  if (!('reason' in secured)) return take(secure)
  failure ??= secured.reason
  secure.destroy()
}

/** The first bytes of a client, which can be read again, or that it is secure. Else why not: no reason if it left. */
type Beginning = { readonly first: Buffer | undefined } | { readonly reason: string | undefined }

function beginning(socket: Socket, event: 'data' | 'secure', patience: number): Promise<Beginning> {
  return new Promise((resolve, reject) => {
    const settle = (how: Beginning): void => {
      cancelTimer(limit)
      socket.off(event, begun).off('end', left).off('close', left)
      resolve(how)
    }
    const begun = failingWith(reject, (first?: Buffer) => {
      if (first) socket.pause().unshift(first)
      settle({ first })
    })
    const left = failingWith(reject, () => settle({ reason: undefined }))
    const late = failingWith(reject, () => {
      settle({ reason: `the client did not finish its handshake in ${patience / 1000} s` })
    })
    const limit = startTimer(patience, late)
    socket.once(event, begun).once('end', left).once('close', left)
  })
}

/** What each connection of TLS begins with (RFC 8446, 5.1). No method of HTTP does. */
const TLS_HANDSHAKE = 22

/** Says what went wrong between a client and the certificate. */
function handshakeText({ code = '', message }: NodeJS.ErrnoException): string {
  if (/UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN/.test(code)) {
    return 'the client does not trust the certificate. It reads its certificates from elsewhere, or it expects a certain one'
  }
  if (code.includes('NO_APPLICATION_PROTOCOL')) return 'the client speaks HTTP/2 only'
  return message
}
