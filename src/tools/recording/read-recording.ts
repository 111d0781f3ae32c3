import { shortened } from '../../base/text/shortened.js'
import { parseJson } from '../../base/text/json-text.js'
import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf } from '../../base/text/lines.js'
import { shown } from '../../base/text/shown.js'
import {
  RECORDING_FILE,
  type RecordedRequest,
  type RecordingLine,
  type RecordingStart,
  type ResponseChunk,
  type ResponseEnd,
  type ResponseStart,
} from './recording.js'
import { RecordingError } from './recording-error.js'

/** A request and all that came back. */
export interface RecordedExchange {
  readonly request: RecordedRequest
  /** Undefined: no response came. */
  readonly response: ResponseStart | undefined
  readonly chunks: readonly ResponseChunk[]
  /** Undefined: the recording was cut off. */
  readonly end: ResponseEnd | undefined
  /** The text of the response, which is the text of all chunks. */
  readonly text: string
}

/** A recording that was read. */
export interface Recording {
  readonly start: RecordingStart
  /** In the order of the requests. */
  readonly exchanges: readonly RecordedExchange[]
  /** Whether the last line is incomplete, because the recorder or the disk was stopped. */
  readonly cutOff: boolean
}

interface UnfinishedExchange {
  readonly request: RecordedRequest
  response?: ResponseStart
  readonly chunks: ResponseChunk[]
  end?: ResponseEnd
}

/**
 * Reads a recording from its file, or from the folder that has it. A line at the end that was cut off is left out.
 *
 * @throws {RecordingError} When there is no recording, or when a line is none of a recording.
 */
export async function readRecording(path: string): Promise<Recording> {
  const file = fileOf(path)
  let start: RecordingStart | undefined
  const exchanges = new Map<number, UnfinishedExchange>()
  let broken: RecordingError | undefined
  let number = 0
  for await (const text of linesIn(file)) {
    number++
    if (broken) throw broken
    if (text.trim() === '') continue
    const place = `Line ${number} of "${file}"`
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
  if (start === undefined) throw new RecordingError(`"${file}" is empty. ${EXPECTED}`)
  const read = [...exchanges.values()].sort((one, other) => one.request.id - other.request.id)
  return { start, exchanges: read.map(finished), cutOff: broken !== undefined }
}

const FIX = 'Remove the line, or record again.'
const EXPECTED = 'A recording is the file or the folder that `svtrain-emulator record` wrote.'

function fileOf(path: string): string {
  try {
    return statSync(path).isDirectory() ? join(path, RECORDING_FILE) : path
  } catch (error) {
    throw unreadable(path, error)
  }
}

async function* linesIn(file: string): AsyncGenerator<string> {
  try {
    yield* linesOf(createReadStream(file) as AsyncIterable<Uint8Array>)
  } catch (error) {
    if (error instanceof RecordingError) throw error
    throw unreadable(file, error)
  }
}

function unreadable(path: string, error: unknown): RecordingError {
  const { code, message } = error as NodeJS.ErrnoException
  const why =
    code === 'ENOENT' ? `"${path}" does not exist.` : `Failed to read "${path}": ${message}.`
  return new RecordingError(`${why} ${EXPECTED}`, { cause: error })
}

type Fields = Readonly<Record<string, unknown>>

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isText = (value: unknown): boolean => typeof value === 'string'
const isHost = (value: unknown): boolean => value === 'training' || value === 'inference'
const isHeaders = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isText)

/** The fields that each kind of line must have. */
const required: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  recording: {
    version: isNumber,
    started_at: isText,
    training_url: isText,
    inference_url: isText,
    contents: (value) => value === 'redacted' || value === 'recorded',
  },
  request: {
    id: isNumber,
    at: isNumber,
    host: isHost,
    method: isText,
    path: isText,
    query: isText,
    headers: isHeaders,
  },
  response: { id: isNumber, at: isNumber, status: isNumber, headers: isHeaders },
  chunk: { id: isNumber, at: isNumber, text: isText },
  end: {
    id: isNumber,
    at: isNumber,
    how: (value) => value === 'complete' || value === 'lost' || value === 'client_left',
  },
}

function checked(value: unknown, place: string): RecordingLine {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Fields
  const type = String(fields.type)
  const rules = Object.hasOwn(required, type) ? required[type] : undefined
  if (rules === undefined) {
    const known = Object.keys(required).join(', ')
    throw new RecordingError(
      `${place} has the type ${shown(fields.type)}. Expected one of ${known}. ${EXPECTED}`,
    )
  }
  for (const [name, isFine] of Object.entries(rules)) {
    if (isFine(fields[name])) continue
    throw new RecordingError(
      `${place}: "${name}" of this ${type} is wrong: ${shown(fields[name], 60)}. ${FIX}`,
    )
  }
  return fields as unknown as RecordingLine
}

function started(line: RecordingLine, file: string): RecordingStart {
  if (line.type !== 'recording') {
    throw new RecordingError(
      `Line 1 of "${file}" is a ${line.type}. A recording begins with a line of the type "recording". ${EXPECTED}`,
    )
  }
  if ((line.version as number) !== 1) {
    throw new RecordingError(
      `"${file}" has version ${String(line.version)}. This version of svtrain-emulator reads version 1. Update svtrain-emulator.`,
    )
  }
  return line
}

function add(exchanges: Map<number, UnfinishedExchange>, line: RecordingLine, place: string): void {
  if (line.type === 'recording') {
    throw new RecordingError(`${place} begins a second recording. Split the file there.`)
  }
  const known = exchanges.get(line.id)
  if (line.type === 'request') {
    if (known) throw new RecordingError(`${place}: request ${line.id} was recorded before. ${FIX}`)
    exchanges.set(line.id, { request: line, chunks: [] })
    return
  }
  if (!known) {
    throw new RecordingError(
      `${place}: this ${line.type} belongs to request ${line.id}, which is not in the recording. ${FIX}`,
    )
  }
  if (line.type === 'response') known.response = line
  else if (line.type === 'chunk') known.chunks.push(line)
  else known.end = line
}

function finished({ request, response, chunks, end }: UnfinishedExchange): RecordedExchange {
  return { request, response, chunks, end, text: chunks.map(({ text }) => text).join('') }
}
