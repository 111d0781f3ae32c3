import type { ApiRequest } from '../../../src/contract/exchange.js'
import type { Emulator } from '../../../src/index.js'
import type { GeneratedRequest } from './recipe.js'

export interface Answer {
  status: number
  /** A text, or the list of problems. */
  detail?: unknown
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
  const asked: ApiRequest = { method, headers, path, query, base: 'http://host', body }
  const outcome = await emulator.handle('training', asked)
  if (outcome.kind !== 'response') return { status: 200 }
  const { status } = outcome
  if (status < 400 || outcome.body === '') return { status }
  const { detail, error } = JSON.parse(outcome.body) as { detail?: unknown; error?: unknown }
  return { status, detail: detail ?? error }
}

/** The framework program has no data: it accepts every valid request. */
function isPastValidation({ status, detail }: Answer): boolean {
  if (status === 200 || status === 409) return true
  if (status === 400) return typeof detail === 'string' && detail.startsWith('Training data')
  return status === 404 && detail !== 'Not Found'
}

const differences: readonly { isIt: (asked: Asked) => boolean; reason: string }[] = [
  {
    isIt: ({ theirs }) => theirs.status === 500,
    reason:
      'the framework cannot print what it found (NaN, infinity, lone surrogates) and answers 500',
  },
  {
    isIt: ({ request, theirs }) =>
      JSON.stringify(theirs.detail).includes('"int_parsing_size"') &&
      request.body!.includes('1e300'),
    reason:
      'the framework refuses `1e300` as an integer; JavaScript cannot tell it from one in digits',
  },
]

interface Asked {
  request: GeneratedRequest
  theirs: Answer
  ours: Answer
}

/** Whether the two answers are the same in status and, if it is a refusal, in all of its detail. */
export function compare(asked: Asked): Compared {
  const { theirs, ours } = asked
  const isSame =
    theirs.status === 200
      ? isPastValidation(ours)
      : ours.status === theirs.status && textOf(ours.detail) === textOf(theirs.detail)
  if (isSame) return { ...asked, isSame }
  return { ...asked, isSame, reason: differences.find(({ isIt }) => isIt(asked))?.reason }
}

function textOf(detail: unknown): string {
  return JSON.stringify(detail ?? null)
}
