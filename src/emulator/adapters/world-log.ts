import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { AnyRecord } from '../../service/engine/saved/saved-part.js'
import { DataFolderError } from './data-folder-error.js'
import { attempt, ifThere } from './folder-errors.js'

/*
 * A world on disk is a log: one line for each record. A line is a checksum of 8 characters, a mark, and the
 * record as JSON. The mark says whether more records of the same save follow.
 */
const MORE = '+'
const LAST = ' '
const CHECKSUM_LENGTH = 8
const LINE_END = 10

/** The lines of one save. */
export function toLines(records: readonly AnyRecord[]): string {
  const last = records.length - 1
  return records.map((record, index) => toLine(record, { isLast: index === last })).join('')
}

/** One line of a save. */
export function toLine(record: AnyRecord, { isLast }: { isLast: boolean }): string {
  const text = JSON.stringify(record)
  return `${checksum(text)}${isLast ? LAST : MORE}${text}\n`
}

function checksum(content: string | Buffer): string {
  return crc32(content).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

/** The log of a world, to read. */
export interface ReadableLog {
  /** The length of the saves that were written completely, in bytes. No client knows what follows. */
  readonly length: number
  /** The text after the last line break, which was never finished. Empty if the last line is complete. */
  readonly torn: string
  /** The records of all complete saves. Each call reads the file again, and only a part of it at a time. */
  readonly records: () => Generator<unknown, void>
  readonly close: () => void
}

/**
 * Opens a log.
 *
 * @returns Undefined if there is none, or nothing in it.
 * @throws {DataFolderError} When it can't be read. `records` also throws it, for a damaged line.
 */
export function openLog(file: string): ReadableLog | undefined {
  const descriptor = ifThere(file, () => openSync(file, 'r'))
  if (descriptor === undefined) return undefined
  const close = (): void => closeSync(descriptor)
  try {
    const { size } = fstatSync(descriptor)
    const { length, tornFrom } = attempt(file, () => endsOf(descriptor, size))
    const torn = attempt(file, () => textAt(descriptor, tornFrom, size))
    if (size === 0) {
      close()
      return undefined
    }
    const log = { file, descriptor, length, tornFrom, torn }
    return { length, torn, records: () => recordsIn(log), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Finds the ends of the last complete save and of the last complete line, from the end of the file. */
function endsOf(descriptor: number, size: number): { length: number; tornFrom: number } {
  let end = lineEndBefore(descriptor, size)
  const tornFrom = end + 1
  while (end !== -1) {
    const before = lineEndBefore(descriptor, end)
    const mark = before + 1 + CHECKSUM_LENGTH
    if (textAt(descriptor, mark, mark + 1) !== MORE) break
    end = before
  }
  return { length: end + 1, tornFrom }
}

const STEP = 4096

/** The place of the last line break before `place`. -1 if there is none. */
function lineEndBefore(descriptor: number, place: number): number {
  for (let end = place; end > 0; end -= STEP) {
    const start = Math.max(0, end - STEP)
    const found = bytesAt(descriptor, start, end).lastIndexOf(LINE_END)
    if (found !== -1) return start + found
  }
  return -1
}

function bytesAt(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
}

function textAt(descriptor: number, start: number, end: number): string {
  return bytesAt(descriptor, start, Math.min(end, start + LONGEST_LINE)).toString('utf8')
}

interface OpenLog extends Pick<ReadableLog, 'length' | 'torn'> {
  file: string
  descriptor: number
  tornFrom: number
}

function* recordsIn({
  file,
  descriptor,
  length,
  tornFrom,
  torn,
}: OpenLog): Generator<unknown, void> {
  let line = 0
  for (const written of linesIn(file, descriptor, { start: 0, end: length })) {
    yield recordIn(written, { file, line: ++line })
  }
  // These belong to a save that is not complete. Damage is still a sign that the file can't be trusted.
  for (const written of linesIn(file, descriptor, { start: length, end: tornFrom })) {
    recordIn(written, { file, line: ++line })
  }
  // A line is never longer than it was written. So the line break itself changed.
  if (isWhole(Buffer.from(torn.slice(0, -1))))
    throw damagedLine({ file, line: line + 1 }, 'its end is missing')
}

/** How much of the file is read at a time. */
const CHUNK = 4 * 1024 * 1024
/** The longest line that is read, in bytes. A text can have twice as many characters. */
const LONGEST_LINE = 256 * 1024 * 1024

function* linesIn(
  file: string,
  descriptor: number,
  part: { start: number; end: number },
): Generator<Buffer, void> {
  const { end } = part
  let { start } = part
  let size = CHUNK
  while (start < end) {
    const bytes = attempt(file, () => bytesAt(descriptor, start, Math.min(end, start + size)))
    const last = bytes.lastIndexOf(LINE_END)
    if (last === -1) {
      if (size >= LONGEST_LINE) throw damaged(`Failed to read ${file}: a line of it is too long.`)
      // The line is longer than a chunk.
      size *= 2
      continue
    }
    for (let from = 0; from <= last;) {
      const to = bytes.indexOf(LINE_END, from)
      yield bytes.subarray(from, to)
      from = to + 1
    }
    start += last + 1
  }
}

interface Place {
  file: string
  line: number
}

function recordIn(written: Buffer, { file, line }: Place): unknown {
  if (!isWhole(written)) throw damagedLine({ file, line }, "its checksum doesn't match")
  try {
    return JSON.parse(written.toString('utf8', CHECKSUM_LENGTH + 1))
  } catch {
    throw damagedLine({ file, line }, "it isn't JSON")
  }
}

function isWhole(line: Buffer): boolean {
  const start = line.toString('latin1', 0, CHECKSUM_LENGTH + 1)
  const mark = start[CHECKSUM_LENGTH]
  if (mark !== MORE && mark !== LAST) return false
  return start.slice(0, CHECKSUM_LENGTH) === checksum(line.subarray(CHECKSUM_LENGTH + 1))
}

function damagedLine({ file, line }: Place, why: string): DataFolderError {
  return damaged(`Failed to read ${file}: line ${line} is damaged, ${why}.`)
}

/** The error of a log whose content can't be used. */
export function damaged(what: string, problems: readonly string[] = []): DataFolderError {
  const toDo = 'Nothing was changed. Restore a copy, or start in another folder.'
  return new DataFolderError('SVTRAIN_DATA_DAMAGED', [`${what} ${toDo}`, ...problems].join('\n'))
}
