import type { Outcome } from '../contract/exchange.js'
import type { EditFault } from '../engine/faults/fault-plan.js'
import { removeAt, setAt } from '../../base/text/json-edit.js'

/** Changes fields of an answer. An answer that is not JSON stays as it is. */
export function edited(outcome: Outcome, edit: EditFault): Outcome {
  if (outcome.kind === 'response') {
    const body = editedText(outcome.body, edit)
    return body === undefined ? outcome : { ...outcome, body }
  }
  if (outcome.kind !== 'stream') return outcome
  const { chunks } = outcome
  // Chunks that exist already stay synchronous: then they are sent many at a time.
  return {
    ...outcome,
    chunks: Symbol.asyncIterator in chunks ? editedLater(chunks, edit) : editedEvents(chunks, edit),
  }
}

function* editedEvents(chunks: Iterable<string>, edit: EditFault): Generator<string> {
  for (const chunk of chunks) yield editedEvent(chunk, edit)
}

async function* editedLater(
  chunks: AsyncIterable<string>,
  edit: EditFault,
): AsyncGenerator<string> {
  for await (const chunk of chunks) yield editedEvent(chunk, edit)
}

const DATA = /^data: (\{.*\})$/gm

function editedEvent(event: string, edit: EditFault): string {
  return event.replaceAll(DATA, (line, json: string) => {
    const text = editedText(json, edit)
    return text === undefined ? line : `data: ${text}`
  })
}

/** Undefined if the text is not JSON. */
function editedText(text: string, { remove = [], set = {} }: EditFault): string | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  for (const path of [remove].flat()) removeAt(json, path)
  for (const [path, value] of Object.entries(set)) setAt(json, path, value)
  return JSON.stringify(json)
}
