import { parseJson } from '../../../base/text/json-text.js'
import { isRecord } from '../../../service/contract/pydantic/record.js'
import type { Trajectory } from '../../../service/contract/trajectory.js'
import type { UnusableRow } from './row.js'
import { quoted, type Json } from './row-doubts.js'

/**
 * Reads a row of a table that earlier versions of openpipe-art write. Its messages say whether they are trained, and their
 * calls are JSON in a text.
 */
export function readExported(row: Json): Trajectory | UnusableRow {
  const { messages, reward, metrics, metadata } = row
  if (!Array.isArray(messages) || !messages.every(isRecord)) {
    return { problem: `messages: expected a list of messages, not ${quoted(messages)}` }
  }
  if (typeof reward !== 'number' && reward !== null && reward !== undefined) {
    return { problem: `reward: expected a number, not ${quoted(reward)}` }
  }
  return {
    messages_and_choices: messages.map(exportedMessage),
    // Some tools write NaN as null.
    ...(reward !== undefined && { reward: reward ?? NaN }),
    // Only whether two rows have the same matters.
    metadata: { metrics, metadata },
  }
}

function exportedMessage({ trainable, tool_calls: calls, ...message }: Json): Json {
  const read = {
    ...message,
    ...(calls !== null &&
      calls !== undefined && {
        tool_calls: typeof calls === 'string' ? (parseJson(calls) ?? calls) : calls,
      }),
    ...(trainable === false && { trainable }),
  }
  return trainable === true ? { message: read } : read
}
