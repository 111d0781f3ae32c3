import { JOB_EVENTS, knownFile, RECORDING_FILE } from '../../base/text/evidence.js'
import { shortJson } from '../../base/text/shortened.js'
import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, listIn, type Fields } from './exchanges.js'
import { RecordingError } from './recording-error.js'

/** What a scenario can be made from. */
export const ALLOWED = `Expected a recording of \`svtrain-emulator record\` (its folder, or its ${RECORDING_FILE}), a HAR file, the page of \`svtrain-emulator report\`, a snapshot, a data folder, a trace, or the events of one job as JSON: a page, an array of pages, an array of events, or one of these per line.`

/**
 * Reads the events of a job, as the API or the control API lists them.
 *
 * @throws {RecordingError} When the text is something else.
 */
export function eventsIn(text: string, file: string): Fields[] {
  const whole = readJson(text.replace(/^\uFEFF/, ''))
  const known = knownFile(text, file)
  if (known && known.what !== JOB_EVENTS) {
    throw new RecordingError(`"${file}" is ${known.what}. ${known.toDo}. ${ALLOWED}`)
  }
  const { events: own, total } = fieldsOf(whole?.value)
  if (typeof total === 'number' && listIn(own).length !== total) {
    throw new RecordingError(
      `"${file}" has ${listIn(own).length} of the ${total} events of the job. Get all: add ?limit=1000 to its address, and from=1000 for those after them.`,
    )
  }
  const values = whole ? [whole.value] : linesIn(text, file)
  const events = values.flatMap((value) => flattened(value))
  for (const [index, event] of events.entries()) {
    const { type, data } = fieldsOf(event)
    const isEvent = typeof type === 'string' && typeof data === 'object' && data !== null
    if (isEvent) continue
    const shown = shortJson(event, LONGEST)
    throw new RecordingError(
      `"${file}" holds something else: its item ${index + 1} is ${shown}, not an event such as {"id": "…", "type": "training_started", "data": {}}. ${ALLOWED}`,
    )
  }
  if (events.length === 0) {
    throw new RecordingError(
      `"${file}" has no events, so there is no job in it. Save the events of a job that has started: GET /v1/preview/training-jobs/{training_job_id}/events. ${ALLOWED}`,
    )
  }
  return events.map(fieldsOf)
}

function linesIn(text: string, file: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const read = readJson(line)
    if (read) return [read.value]
    throw new RecordingError(
      `"${file}" is not JSON: line ${index + 1} is ${shortJson(line, LONGEST)}. ${ALLOWED}`,
    )
  })
}

/** Returns the events of a page, of an array of pages, or of an array of events, also as the control API has them. */
function flattened(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(flattened)
  const { data, type, events } = fieldsOf(value)
  if (Array.isArray(events) && type === undefined) return events as unknown[]
  return Array.isArray(data) && type === undefined ? (data as unknown[]) : [value]
}

const LONGEST = 60
