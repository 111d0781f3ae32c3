import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createEmulator, type Emulator } from '../../../src/index.js'
import type { Draw } from '../../support/draw.js'
import { ask, readAll } from './read-all.js'
import { richWorlds } from '../../emulator/rich-worlds.js'
import { kindOf, type StartKind } from './kind.js'
import { drawEdits, drawMutations, edited, mutated, type Edit, type Mutation } from './mutations.js'
import { assertSame, send, stateOf, verdictOf } from './look.js'

/** One change of the lines of a log. It is JSON. */
interface LineChange {
  /** The index of a line. */
  readonly at: number
  readonly how: 'drop' | 'repeat' | 'move' | 'edit' | 'mutate' | 'mark' | 'tear' | 'flip'
  /** The place that a line moves to. */
  readonly to: number
  readonly edits: readonly Edit[]
  readonly mutations: readonly Mutation[]
}

interface FolderInput {
  /** The name of a rich world, whose log is changed. */
  readonly of: string
  readonly mutations: readonly LineChange[]
  /** What the file is instead, or how its bytes are written. */
  /** Whether everything is read after it was accepted. */
  readonly reads: boolean
  readonly whole: 'lines' | 'empty' | 'binary' | 'UTF-16' | 'mark' | 'CRLF' | 'other'
}

const hows = [
  'drop',
  'repeat',
  'move',
  'edit',
  'mutate',
  'mutate',
  'mutate',
  'mark',
  'tear',
  'flip',
]
const wholes = ['empty', 'binary', 'UTF-16', 'mark', 'CRLF', 'other'] as const

const LOG = 'world.ndjson'
/** A line is its checksum, a character, and a record as JSON. */
const HEAD = 9

let prepared: Promise<Record<string, string[]>> | undefined

/** The logs of rich worlds, with several saves each. */
async function prepare(): Promise<Record<string, string[]>> {
  const logs: Record<string, string[]> = {}
  for (const [name, make] of Object.entries(richWorlds)) {
    const source = await make()
    const snapshot = await source.snapshot()
    await source.close()
    const data = memoryFolder()
    const emulator = createEmulator({ data, snapshot, clock: 'manual', send })
    await ask(emulator, 'POST /_emulator/jobs', {})
    await ask(emulator, 'POST /_emulator/clock/advance', { by: '5s' })
    await emulator.webhooks.idle()
    await ask(emulator, 'POST /_emulator/faults', {
      fault: 'hang',
      calls: 1,
      match: { operation: 'healthCheck' },
    })
    await emulator.close()
    logs[name] = readFileSync(join(data, LOG), 'utf8').split('\n').slice(0, -1)
    rmSync(data, { recursive: true })
  }
  return logs
}

function memoryFolder(): string {
  const memory = '/dev/shm'
  return mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'svtrain-fuzz-'))
}

/** Data folders whose log was changed: they are refused and stay as they are, or continue. */
export const startDataFolders: StartKind = async () => {
  const logs = await (prepared ??= prepare())
  const names = Object.keys(logs)
  const data = memoryFolder()
  const file = join(data, LOG)

  return kindOf<FolderInput>({
    draw(draw) {
      const of = draw.oneOf(names)
      const lines = logs[of]!
      const whole = draw.isHit(0.06) ? draw.oneOf(wholes) : 'lines'
      return {
        of,
        whole,
        reads: draw.isHit(0.3),
        mutations: Array.from({ length: 1 + draw.below(3) }, () => drawChange(draw, lines)),
      }
    },

    async attempt({ of, whole, mutations, reads }) {
      // The contents stay. Those that another log does not name are removed by its emulator, so some are lost.
      for (const name of readdirSync(data)) if (name !== 'contents') rmSync(join(data, name))
      writeFileSync(file, bytesOf(changed(logs[of]!, mutations), whole))
      const before = readFileSync(file, 'latin1')
      let emulator: Emulator | undefined
      const verdict = await verdictOf(() => {
        emulator = createEmulator({ data, clock: 'manual', send })
      })
      if (!emulator) {
        assertSame(before, readFileSync(file, 'latin1'))
        const left = readdirSync(data).filter((name) => name !== 'contents')
        if (left.join() !== LOG) throw new Error(`A refused folder contains ${left.join(', ')}.`)
        return verdict
      }
      await continueIn(emulator, reads)
      return verdict
    },

    end() {
      rmSync(data, { recursive: true, force: true })
      return Promise.resolve()
    },
  })

  /** Uses the world of a folder, and opens the folder again: everything is there. */
  async function continueIn(emulator: Emulator, reads: boolean): Promise<void> {
    await emulator.webhooks.idle()
    if (reads) await readAll(emulator)
    await ask(emulator, 'POST /_emulator/clock/advance', { by: '90s' })
    await emulator.webhooks.idle()
    await ask(emulator, 'GET /_emulator/jobs')
    const state = savedPart(emulator)
    await emulator.close()
    const again = createEmulator({ data, clock: 'manual', send })
    try {
      assertSame(state, savedPart(again))
    } finally {
      await again.close()
    }
  }
}

/** The records of a world. The rest of its state may differ after a restart. */
function savedPart(emulator: Emulator): string {
  const [records = ''] = stateOf(emulator).split('\n')
  return records
}

function drawChange(draw: Draw, lines: readonly string[]): LineChange {
  const at = draw.below(lines.length)
  const how = draw.oneOf(hows) as LineChange['how']
  const record: unknown = JSON.parse(lines[at]!.slice(HEAD))
  return {
    at,
    how,
    to: draw.below(lines.length),
    edits: how === 'edit' || how === 'mark' ? drawEdits(draw, 2) : [],
    mutations: how === 'mutate' ? drawMutations(draw, record, { most: 2 }) : [],
  }
}

function changed(all: readonly string[], changes: readonly LineChange[]): string {
  const lines = [...all]
  let torn = ''
  for (const { at, how, to, edits, mutations } of changes) {
    const line = lines[at]
    if (line === undefined) continue
    const text = line.slice(HEAD)
    if (how === 'drop') lines.splice(at, 1)
    else if (how === 'repeat') lines.splice(to, 0, line)
    else if (how === 'move') lines.splice(to, 0, ...lines.splice(at, 1))
    else if (how === 'tear') {
      torn = line.slice(0, to)
      lines.splice(at)
    } else if (how === 'flip') lines[at] = flipped(line, to)
    else if (how === 'mark') lines[at] = line.slice(0, HEAD - 1) + (edits[0]!.added || '+') + text
    else if (how === 'edit') lines[at] = sealedLine(edited(text, edits), line[HEAD - 1]!)
    else lines[at] = sealedLine(JSON.stringify(mutated(parsed(text), mutations)), line[HEAD - 1]!)
  }
  return `${lines.join('\n')}\n${torn}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Another change made it a text that is not JSON.
    return null
  }
}

/** A line with the right checksum. */
function sealedLine(text: string | undefined, mark: string): string {
  const written = text ?? 'null'
  return `${crc32(written).toString(16).padStart(8, '0')}${mark}${written}`
}

function flipped(line: string, at: number): string {
  const place = at % line.length
  const other = String.fromCharCode(line.charCodeAt(place) ^ 1)
  return line.slice(0, place) + other + line.slice(place + 1)
}

function bytesOf(text: string, whole: FolderInput['whole']): Buffer {
  switch (whole) {
    case 'lines':
      return Buffer.from(text)
    case 'empty':
      return Buffer.alloc(text.length % 2)
    case 'binary':
      return Buffer.from(Array.from({ length: 4000 }, (_, index) => (index * 7919) % 256))
    case 'UTF-16':
      return Buffer.from(text, 'utf16le')
    case 'mark':
      return Buffer.from(`\uFEFF${text}`)
    case 'CRLF':
      return Buffer.from(text.replaceAll('\n', '\r\n'))
    case 'other':
      return Buffer.from('{"format":"svtrain-emulator snapshot"}\n')
  }
}
