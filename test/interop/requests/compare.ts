import type { ApiRequest } from '../../../src/service/contract/exchange.js'
import type { Emulator } from '../../../src/index.js'
import { HEADERS, isInvented, withoutDrawn } from '../answer-text.js'
import type { GeneratedRequest } from './recipe.js'

export interface Answer {
  status: number
  headers: Readonly<Record<string, string>>
  /** As text: JSON.parse would round numbers, and sort keys that are integers. */
  body: string
}

export interface Compared {
  request: GeneratedRequest
  theirs: Answer
  ours: Answer
  isSame: boolean
  /** The known reason for the difference. */
  reason?: string | undefined
}

export async function answerOf(emulator: Emulator, request: GeneratedRequest): Promise<Answer> {
  const [path, query = ''] = request.path.split('?') as [string, string?]
  const { method, headers } = request
  const body =
    request.base64 === undefined
      ? new TextEncoder().encode(request.body ?? '')
      : new Uint8Array(Buffer.from(request.base64, 'base64'))
  const asked: ApiRequest = { method, headers, path, query, base: 'http://testserver', body }
  const outcome = await emulator.handle('training', asked)
  if (outcome.kind === 'response') return outcome
  return { status: 200, headers: {}, body: '' }
}

/** The framework program has no data: it accepts every valid request. */
function isPastValidation({ status, body }: Answer): boolean {
  if (status === 409) return true
  if (status === 400) return /^\{"(?:error":|detail":"Training data )/.test(body)
  return status === 404 && body !== '{"detail":"Not Found"}'
}

type Asked = Pick<Compared, 'request' | 'theirs' | 'ours'>

/** Whether the two answers are the same in status, in the headers that clients act on, and in each byte of the body. */
export function compare(asked: Asked): Compared {
  const { theirs, ours } = asked
  const isSame = areSame(asked)
  const isHalf = !isSame && theirs.status === 500 && ours.status === 200
  const half = 'the framework accepts half of a surrogate pair, and cannot print its answer'
  return { ...asked, isSame, reason: isHalf ? half : undefined }
}

function areSame({ request, theirs, ours }: Asked): boolean {
  if (theirs.status === 200) {
    if (ours.status !== 200) return isPastValidation(ours)
    const [path] = request.path.split('?') as [string]
    return isInvented(path) || withoutDrawn(ours.body) === withoutDrawn(theirs.body)
  }
  return (
    ours.status === theirs.status &&
    ours.body === theirs.body &&
    HEADERS.every((name) => ours.headers[name] === theirs.headers[name])
  )
}
