import { PassThrough, type Readable, type Writable } from 'node:stream'
import { background } from '../../background.js'

/** The longest message that is read, in bytes. */
const LONGEST_MESSAGE = 10 * 1024 * 1024
/** How much of the beginning and of the end of a longer message is searched for its id, in bytes. */
const ENDS = 4096

const LINE_END = 10

/** The codes of JSON-RPC. */
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

/**
 * Passes on the lines of stdin that are messages of MCP. Each other line gets an error on stdout, and the lines
 * after it are read: one message that is too long does not end the server.
 */
export function messageLines(stdin: Readable, stdout: Writable, most = LONGEST_MESSAGE): Readable {
  const messages = new PassThrough()
  const refuse = (code: number, message: string, id: unknown): void => {
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
  const lines = new Lines(most, {
    line(bytes) {
      const refusal = refusalOf(bytes)
      if (refusal) refuse(refusal.code, refusal.message, refusal.id)
      else messages.write(Buffer.concat([bytes, Buffer.of(LINE_END)]))
    },
    tooLong(ends, length) {
      const text = `The message has ${length.toLocaleString('en-US')} bytes, and at most ${most.toLocaleString('en-US')} are read. It was ignored. Send less, for example a path instead of the contents of a file.`
      refuse(INVALID_REQUEST, text, idIn(ends))
    },
  })
  const read = background.callback('read a message', (chunk: Buffer) => lines.add(chunk))
  stdin.on('data', read)
  // The transport reads everything at once, so nothing waits here when stdin ends.
  for (const event of ['end', 'close', 'error'] as const) stdin.once(event, () => messages.end())
  return messages
}

interface LineHandlers {
  /** Takes a line, without its end. */
  line: (bytes: Buffer) => void
  /** Takes the beginning and the end of a line that is too long, and the length of the line. */
  tooLong: (ends: LineEnds, length: number) => void
}

interface LineEnds {
  readonly head: string
  readonly tail: string
}

/** Splits bytes into lines. Of a line that is too long, it keeps only the beginning and the end. */
class Lines {
  readonly #most: number
  readonly #found: LineHandlers
  #pieces: Buffer[] = []
  #length = 0
  /** The beginning of a line that is too long. */
  #head: string | undefined

  constructor(most: number, found: LineHandlers) {
    this.#most = most
    this.#found = found
  }

  add(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      this.#take(chunk.subarray(from, end))
      this.#end()
      from = end + 1
    }
    this.#take(chunk.subarray(from))
  }

  #take(piece: Buffer): void {
    this.#length += piece.length
    this.#pieces.push(piece)
    if (this.#length <= this.#most) return
    const all = Buffer.concat(this.#pieces)
    this.#head ??= all.toString('utf8', 0, ENDS)
    this.#pieces = [all.subarray(-ENDS)]
  }

  #end(): void {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
    const [length, head] = [this.#length, this.#head]
    this.#pieces = []
    this.#length = 0
    this.#head = undefined
    if (head !== undefined) this.#found.tooLong({ head, tail: bytes.toString('utf8') }, length)
    else if (length > 0) this.#found.line(bytes)
  }
}

/** Says why a line is not a message. Undefined if it may be one. */
function refusalOf(bytes: Buffer) {
  const text = bytes.toString('utf8')
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = `The line is not JSON: ${(error as Error).message}`
    return { code: PARSE_ERROR, message, id: null }
  }
  const why = problemIn(value)
  if (why === undefined) return undefined
  const { id } = Object(value) as { id?: unknown }
  return {
    code: INVALID_REQUEST,
    message: `The line is not a message: ${why}.`,
    id: asId(id) ?? null,
  }
}

function problemIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'it is a list, and each line has one message'
  if (typeof value !== 'object' || value === null) return 'it is not an object'
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') return '"jsonrpc" must be "2.0"'
  if (id !== undefined && asId(id) === undefined) return '"id" must be a text or a whole number'
  if (result !== undefined || error !== undefined) return undefined
  if (typeof method !== 'string') return '"method" must be a text'
  if (params === undefined) return undefined
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  return isObject ? undefined : '"params" must be an object'
}

function asId(value: unknown): string | number | undefined {
  return typeof value === 'string' || Number.isInteger(value)
    ? (value as string | number)
    : undefined
}

const ID = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*`
const ID_BEFORE = new RegExp(`${ID}[,}]`)
const ID_LAST = new RegExp(String.raw`${ID}(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$`)

/** The id of a message, as clients write it: before the parameters, or after them. Null if it is not there. */
function idIn({ head, tail }: LineEnds): unknown {
  const [beforeParameters = ''] = head.split('"params"', 1)
  const [, id] = ID_BEFORE.exec(beforeParameters) ?? ID_LAST.exec(tail) ?? []
  try {
    return id === undefined ? null : (JSON.parse(id) as unknown)
  } catch {
    return null
  }
}
