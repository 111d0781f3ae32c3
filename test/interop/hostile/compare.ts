import { HEADERS, isInvented, withoutDrawn } from '../answer-text.js'
import type { Generated } from './families.js'
import { pathOf } from './request.js'
import type { Services } from './services.js'
import type { Answer } from './socket.js'

/** One request with both lists of answers. */
export interface Case {
  readonly request: Generated
  readonly theirs: readonly Answer[]
  readonly ours: readonly Answer[]
}

/**
 * Whether all answers are the same in status, in the headers that clients act on, and in each byte of the body. So
 * numbers are compared by their digits, and keys in their order.
 */
export function isSame({ request, theirs, ours }: Case, services: Ports): boolean {
  if (theirs.length !== ours.length) return false
  const { target, methods } = request
  return theirs.every((their, index) => {
    const our = ours[index]!
    if (their.status !== our.status) return false
    if (their.status === 200 && methods.length === 1 && isInvented(pathOf(target))) return true
    return (
      bodyOf(their) === bodyOf(our) &&
      HEADERS.every(
        (name) =>
          headerOf(their, name, services.framework) === headerOf(our, name, services.emulator),
      )
    )
  })
}

type Ports = Pick<Services, 'framework' | 'emulator'>

/** A header, with a star for the port of the server. A redirect contains it if the request names no host. */
function headerOf({ headers }: Answer, name: string, port: number): string | undefined {
  return headers.get(name)?.replace(`//127.0.0.1:${port}/`, '//127.0.0.1:*/')
}

function bodyOf({ status, body }: Answer): string {
  const text = body.toString('latin1')
  return status === 200 ? withoutDrawn(text) : text
}
