import { joinBytes } from '../../base/text/bytes.js'
import { parseJson } from '../../base/text/json-text.js'
import { ApiError } from '../contract/errors.js'
import type { Outcome } from '../contract/exchange.js'
import { encode } from './encode.js'
import type { Answer, Next, RequestContext } from './pipeline.js'

/** The most bytes of such a body, once it is decompressed. */
const DECODED_LIMIT = 64 * 1024 * 1024

/**
 * Reads the JSON of a row whose body may be compressed, and names the call by it. A body that is not JSON is not
 * refused here: the row has errors of its own form.
 */
export function decodeBody<C extends RequestContext>(context: C, next: Next<C>): Answer {
  const { row, request, host } = context
  if (row.readsBody !== 'compressed-json' || request.body === 'too-large') return next(context)
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? ''
  const refuse = (error: ApiError): Outcome => encode(error, host)
  if (encoding === '' || encoding === 'identity') return read(context, request.body, next)
  if (encoding !== 'gzip') {
    return refuse(
      new ApiError(415, `The content encoding is "${encoding}"; allowed: gzip, or none.`, FORM),
    )
  }
  return gunzip(request.body).then((bytes) => {
    return bytes instanceof ApiError ? refuse(bytes) : read(context, bytes, next)
  })
}

const FORM = { form: 'graphql' } as const

function tooLarge(): ApiError {
  return new ApiError(
    413,
    `The body has more than ${DECODED_LIMIT} bytes once it is decompressed; at most these are allowed.`,
    FORM,
  )
}

function read<C extends RequestContext>(context: C, bytes: Uint8Array, next: Next<C>): Answer {
  const { row, entry, engine, request, host } = context
  if (bytes.length > DECODED_LIMIT) return encode(tooLarge(), host)
  if (bytes !== request.body) engine.journal.decoded(entry, bytes)
  context.json = { value: parseJson(new TextDecoder().decode(bytes)) }
  const name = row.nameCall?.(context.json.value)
  if (name !== undefined) context.callId = `${row.id}.${name}`
  entry.operation = context.callId
  return next(context)
}

async function gunzip(bytes: Uint8Array): Promise<Uint8Array | ApiError> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
    const reader = source.pipeThrough(new DecompressionStream('gzip')).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return joinBytes(chunks)
      length += value.length
      if (length > DECODED_LIMIT) {
        await reader.cancel()
        return tooLarge()
      }
      chunks.push(value)
    }
  } catch {
    return new ApiError(
      400,
      'The body is not in the format gzip, which its content encoding says.',
      FORM,
    )
  }
}
