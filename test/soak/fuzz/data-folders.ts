import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { ask, readAll } from './read-all.js'
import { richWorlds } from '../../emulator/rich-worlds.js'
import type { InputDraw } from './draws.js'
import type { StartKind } from './kind.js'
import { memoryFolder } from './memory-folder.js'
import { edited, mutated } from './mutations.js'
import { scraps } from './odd-values.js'
import { assertSame, send, stateOf, verdictOf } from './look.js'

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

/** Data folders whose log was changed: they are refused and stay as they are, or continue. */
export const startDataFolders: StartKind = async () => {
  const logs = await (prepared ??= prepare())
  const names = Object.keys(logs)
  const data = memoryFolder()
  const file = join(data, LOG)

  return {
    async attempt(draw) {
      const lines = logs[draw.tell(draw.oneOf(names))]!
      const whole = draw.tell(draw.oneOf(draw.isHit(0.06) ? Object.keys(wholes) : ['lines']))
      const reads = draw.isHit(0.3)
      // The contents stay. Those that another log does not name are removed by its emulator, so some are lost.
      for (const name of readdirSync(data)) if (name !== 'contents') rmSync(join(data, name))
      writeFileSync(file, wholes[whole]!(changed(draw, lines)))
      const before = readFileSync(file, 'latin1')
      let emulator: Emulator | undefined
      const verdict = await verdictOf(() => {
        emulator = createEmulator({ data, clock: 'manual', send })
      })
      if (emulator) await continueIn(emulator, reads)
      else {
        assertSame(before, readFileSync(file, 'latin1'))
        const left = readdirSync(data).filter((name) => name !== 'contents')
        if (left.join() !== LOG) throw new Error(`A refused folder contains ${left.join(', ')}.`)
      }
      return verdict
    },

    end() {
      rmSync(data, { recursive: true, force: true })
      return Promise.resolve()
    },
  }

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

/** How the changed lines of a log become the bytes of its file, or what the file is instead. */
const wholes: Readonly<Record<string, (text: string) => Buffer>> = {
  lines: (text) => Buffer.from(text),
  empty: (text) => Buffer.alloc(text.length % 2),
  binary: () => Buffer.from(Array.from({ length: 4000 }, (_, index) => (index * 7919) % 256)),
  'UTF-16': (text) => Buffer.from(text, 'utf16le'),
  mark: (text) => Buffer.from(`\uFEFF${text}`),
  CRLF: (text) => Buffer.from(text.replaceAll('\n', '\r\n')),
  other: () => Buffer.from('{"format":"svtrain-emulator snapshot"}\n'),
}

/** Where a line is, and where it may move to. */
interface Places {
  readonly at: number
  readonly to: number
}

/** Changes one line of a log. Returns a part of a line that stands at the end, without a line break. */
type ChangeLine = (draw: InputDraw, lines: string[], places: Places) => string | void

const mutate: ChangeLine = (draw, lines, { at }) => {
  const { mark, record } = partsOf(lines[at]!)
  lines[at] = sealedLine(JSON.stringify(mutated(draw, parsed(record), { most: 2 })), mark)
}

const changes: readonly ChangeLine[] = [
  mutate,
  mutate,
  mutate,
  function drop(_draw, lines, { at }) {
    lines.splice(at, 1)
  },
  function repeat(_draw, lines, { at, to }) {
    lines.splice(to, 0, lines[at]!)
  },
  function move(_draw, lines, { at, to }) {
    lines.splice(to, 0, ...lines.splice(at, 1))
  },
  function edit(draw, lines, { at }) {
    const { mark, record } = partsOf(lines[at]!)
    lines[at] = sealedLine(edited(draw, record, 2), mark)
  },
  function mark(draw, lines, { at }) {
    const line = lines[at]!
    lines[at] =
      line.slice(0, HEAD - 1) + (draw.isHit(0.6) ? draw.oneOf(scraps) : '+') + line.slice(HEAD)
  },
  function tear(_draw, lines, { at, to }) {
    const [line] = lines.splice(at)
    return line!.slice(0, to)
  },
  function flip(_draw, lines, { at, to }) {
    const line = lines[at]!
    const place = to % line.length
    const other = String.fromCharCode(line.charCodeAt(place) ^ 1)
    lines[at] = line.slice(0, place) + other + line.slice(place + 1)
  },
]

/** The text of a log with one to three changed lines. */
function changed(draw: InputDraw, all: readonly string[]): string {
  const lines = [...all]
  let torn = ''
  for (let left = 1 + draw.below(3); left > 0; left--) {
    const places = { at: draw.below(all.length), to: draw.below(all.length) }
    const change = draw.oneOf(changes)
    draw.tell({ change: change.name, ...places })
    // Another change may have removed the line.
    if (places.at < lines.length) torn = change(draw, lines, places) ?? torn
  }
  return `${lines.join('\n')}\n${torn}`
}

function partsOf(line: string): { mark: string; record: string } {
  return { mark: line[HEAD - 1]!, record: line.slice(HEAD) }
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
