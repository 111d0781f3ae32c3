import { BrokenOff, type Outcome } from '../contract/exchange.js'
import type { ShapeFault } from '../engine/faults/fault-plan.js'
import type { Engine } from '../engine/engine.js'
import { milliseconds } from '../../base/text/duration.js'

/** Makes an answer malformed, mislabeled or slow. A dropped or hanging answer stays as it is. */
export function reshape(outcome: Outcome, shape: ShapeFault, engine: Engine): Outcome {
  if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
  switch (shape.fault) {
    case 'content_type':
      return { ...outcome, headers: { ...outcome.headers, 'content-type': shape.content_type } }
    case 'malformed': {
      drain(outcome, engine)
      const { status = outcome.status } = shape
      const full = outcome.kind === 'response' ? outcome.body : STREAM_OPENING
      const headers = {
        ...outcome.headers,
        'content-type': contentTypes[shape.form] ?? outcome.headers['content-type'] ?? JSON_TYPE,
      }
      return { ...outcome, kind: 'response', status, headers, body: malformed(full, shape.form) }
    }
    case 'trickle': {
      const chunks = outcome.kind === 'response' ? [outcome.body] : outcome.chunks
      const headers =
        outcome.kind === 'response'
          ? { ...outcome.headers, 'content-length': lengthOf(outcome.body) }
          : outcome.headers
      const every = milliseconds(shape.every)
      const slow = trickle(chunks, { bytes: shape.bytes, wait: () => engine.delayed.wait(every) })
      const { leave, broken } = outcome.kind === 'stream' ? outcome : {}
      return {
        kind: 'stream',
        status: outcome.status,
        headers,
        chunks: slow,
        ...(leave && { leave }),
        ...(broken && { broken }),
      }
    }
  }
}

const JSON_TYPE = 'application/json'
const STREAM_OPENING = 'data: {"id": "chatcmpl-'

const contentTypes: Readonly<Partial<Record<Malformed, string>>> = {
  not_json: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
}

type Malformed = Extract<ShapeFault, { fault: 'malformed' }>['form']

function malformed(full: string, form: Malformed): string {
  switch (form) {
    case 'truncated':
      return full.slice(0, Math.ceil(full.length / 2))
    case 'not_json':
      return 'upstream connect error or disconnect/reset before headers'
    case 'empty':
      return ''
    case 'html':
      return '<html><head><title>Error</title></head><body><h1>Error</h1></body></html>\n'
  }
}

interface Pace {
  /** How many bytes are sent at a time. A character that is not ASCII counts as one. */
  bytes: number
  /** Resolves to false if the world has ended. */
  wait: () => Promise<boolean>
}

async function* trickle(
  chunks: AsyncIterable<string> | Iterable<string>,
  { bytes, wait }: Pace,
): AsyncGenerator<string> {
  let first = true
  for await (const chunk of chunks) {
    const characters = Array.from(chunk)
    for (let start = 0; start < characters.length; start += bytes) {
      if (!first && !(await wait())) throw new BrokenOff('The world ended meanwhile')
      first = false
      yield characters.slice(start, start + bytes).join('')
    }
  }
}

function lengthOf(text: string): string {
  return String(new TextEncoder().encode(text).length)
}

/**
 * Ends a stream that nobody will read. A stream releases what it holds when it ends, and a generator
 * that never started never ends.
 */
export function drain(outcome: Outcome | undefined, { journal }: Engine): void {
  if (outcome?.kind !== 'stream') return
  void journal.background.watch('end a stream that nobody reads', ended(outcome.chunks))
}

async function ended(chunks: AsyncIterable<string> | Iterable<string>): Promise<void> {
  try {
    for await (const _ of chunks) return
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error
  }
}
