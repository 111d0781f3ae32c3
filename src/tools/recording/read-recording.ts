import { shortened } from '../../base/text/shortened.js'
import { parseJson } from '../../base/text/json-text.js'
import { shown } from '../../base/text/shown.js'
import { fieldsOf, type RecordedExchange } from './exchanges.js'
import { lineTypes, recordingLine, type RecordingLine, type RecordingStart } from './recording.js'
import { RecordingError } from './recording-error.js'

/** An exchange while its lines are read. */
type Growing = { -readonly [Key in keyof RecordedExchange]: RecordedExchange[Key] }

/** A recording that was read. */
export interface Recording {
  readonly start: RecordingStart
  /** In the order of the requests. */
  readonly exchanges: readonly RecordedExchange[]
  /** Whether the last line is incomplete, because the recorder or the disk was stopped. */
  readonly cutOff: boolean
}

/**
 * Reads the text of a recording. A line at the end that was cut off is left out.
 *
 * @param file Where the text is from, for errors.
 * @throws {RecordingError} When a line is none of a recording.
 */
export function recordingIn(content: string, file: string): Recording {
  let start: RecordingStart | undefined
  const exchanges = new Map<number, Growing>()
  let broken: RecordingError | undefined
  for (const [index, text] of content.split('\n').entries()) {
    if (text.trim() === '') continue
    if (broken) throw broken
    const place = `Line ${index + 1} of "${file}"`
    const parsed = parseJson(text)
    if (parsed === undefined) {
      // Only the last line may be cut off, so the next line decides.
      broken = new RecordingError(`${place} is not JSON: ${shortened(text, 60)}. ${FIX}`)
      continue
    }
    const line = checked(parsed, place)
    if (start === undefined) start = started(line, file)
    else add(exchanges, line, place)
  }
  if (start === undefined) {
    throw broken ?? new RecordingError(`"${file}" is empty. ${EXPECTED}`)
  }
  const read = [...exchanges.values()].sort((one, other) => one.request.id - other.request.id)
  return { start, exchanges: read, cutOff: broken !== undefined }
}

const FIX = 'Remove the line, or record again.'
const EXPECTED = 'A recording is the file or the folder that `svtrain-emulator record` wrote.'

function checked(value: unknown, place: string): RecordingLine {
  const { data, error } = recordingLine.safeParse(value, { jitless: true })
  if (data) return data
  const fields = fieldsOf(value)
  const { type } = fields
  const [name] = error.issues[0]!.path
  if (name === undefined || name === 'type') {
    throw new RecordingError(
      `${place} has the type ${shown(type)}. Expected one of ${lineTypes.join(', ')}. ${EXPECTED}`,
    )
  }
  throw new RecordingError(
    `${place}: "${String(name)}" of this ${String(type)} is wrong: ${shown(fields[String(name)], 60)}. ${FIX}`,
  )
}

function started(line: RecordingLine, file: string): RecordingStart {
  if (line.type !== 'recording') {
    throw new RecordingError(
      `Line 1 of "${file}" is a ${line.type}. A recording begins with a line of the type "recording". ${EXPECTED}`,
    )
  }
  if (line.version !== 1) {
    throw new RecordingError(
      `"${file}" has version ${line.version}. This version of svtrain-emulator reads version 1. Update svtrain-emulator.`,
    )
  }
  return line
}

function add(exchanges: Map<number, Growing>, line: RecordingLine, place: string): void {
  if (line.type === 'recording') {
    throw new RecordingError(`${place} begins a second recording. Split the file there.`)
  }
  const known = exchanges.get(line.id)
  if (line.type === 'request') {
    if (known) throw new RecordingError(`${place}: request ${line.id} was recorded before. ${FIX}`)
    exchanges.set(line.id, { request: line, text: '' })
    return
  }
  if (!known) {
    throw new RecordingError(
      `${place}: this ${line.type} belongs to request ${line.id}, which is not in the recording. ${FIX}`,
    )
  }
  if (line.type === 'response') known.response = line
  else if (line.type === 'chunk') known.text += line.text
  else known.end = line
}
