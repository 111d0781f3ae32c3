/**
 * The process that tries inputs of one kind. A file always has the index of the current input, so that its
 * parent can name an input that never ends, or that ended the process.
 */
import { openSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import * as fc from 'fast-check'
import { InputDraw, undrawn } from './draws.js'
import type { Kind, KindName, StartKind, Verdict } from './kind.js'
import { assertUnpolluted } from './look.js'

/** What the parent asks for. */
export interface Order {
  readonly kind: KindName
  readonly seed: number
  readonly from: number
  readonly to: number
  /** The file that always has the index of the current input. */
  readonly progress: string
}

/** What the parent learns. */
export type News =
  | { news: 'found'; index: number; input: string; error: string }
  | { news: 'counted'; index: number; accepted: number; refused: number }
  | { news: 'done' }

const starts: Readonly<Record<KindName, () => Promise<StartKind>>> = {
  snapshots: async () => (await import('./snapshots.js')).startSnapshots,
  'data-folders': async () => (await import('./data-folders.js')).startDataFolders,
  'control-calls': async () => (await import('./control-calls.js')).startControlCalls,
  'socket-calls': async () => (await import('./socket-calls.js')).startSocketCalls,
  scenarios: async () => (await import('./scenarios.js')).startScenarios,
  schemas: async () => (await import('./schemas.js')).startSchemas,
  queries: async () => (await import('./queries.js')).startQueries,
  fields: async () => (await import('./fields.js')).startFields,
}

/** How often the counts are sent. */
const COUNTED = 500
/** The longest part of an input that is shown. What was changed in it is another part. */
const LONGEST_PART = 1500
/** How many smaller inputs are tried. */
const MOST_TRIES = 300

async function run({ kind: name, seed, from, to, progress }: Order): Promise<void> {
  const file = openSync(progress, 'w')
  let marks = 0
  const start = await starts[name]()
  let kind = await start()
  let counts = { accepted: 0, refused: 0 }
  for (let index = from; index < to; index++) {
    const mark = (): void => void writeSync(file, `${index} ${marks++}`.padEnd(24), 0)
    const outcome = await attempted({ kind, start, mark, seed: seedOf(`${seed} ${name} ${index}`) })
    if (typeof outcome === 'string') counts[outcome]++
    else {
      await tell({ news: 'found', index, ...outcome })
      // What the input left behind must not count against the next one.
      await kind.end()
      kind = await start()
    }
    if (counts.accepted + counts.refused >= COUNTED || index === to - 1) {
      await tell({ news: 'counted', index, ...counts })
      counts = { accepted: 0, refused: 0 }
    }
  }
  await kind.end()
  await tell({ news: 'done' })
}

/** The seed of one input, so that it can be tried without those before it. */
function seedOf(input: string): number {
  return crc32(input) | 0
}

interface Trial {
  readonly kind: Kind
  /** Starts the kind again. */
  readonly start: StartKind
  /** Called before each attempt. */
  readonly mark: () => void
  readonly seed: number
}

interface Failure {
  readonly error: string
  /** The smallest input that fails in the same way. */
  readonly input: string
}

/** Tries an input. If it fails, fast-check makes it smaller, and each smaller one is tried in a fresh world. */
async function attempted({ kind, start, mark, seed }: Trial): Promise<Verdict | Failure> {
  const found: { first?: unknown; input?: string; tries: number; verdict?: Verdict } = { tries: 0 }
  const property = fc.asyncProperty(undrawn, async (gen) => {
    const isFirst = found.first === undefined
    if (!isFirst && ++found.tries > MOST_TRIES) return
    mark()
    const draw = new InputDraw(gen)
    const subject = isFirst ? kind : await start()
    try {
      found.verdict = await subject.attempt(draw)
      assertUnpolluted()
    } catch (error) {
      found.first ??= error ?? new Error('It throws nothing.')
      if (signatureOf(error) !== signatureOf(found.first)) return
      found.input = draw.told.map((part) => fc.stringify(part).slice(0, LONGEST_PART)).join('\n  ')
      throw error
    } finally {
      if (!isFirst) await subject.end()
    }
  })
  await fc.check(property, { seed, numRuns: 1 })
  const { first, input, verdict } = found
  return first === undefined ? verdict! : { error: textOf(first), input: input! }
}

/** Errors with the same signature are the same mistake. */
function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [first = ''] = error.message.split('\n')
  return `${error.name} ${first.replaceAll(/\d+|"[^"]*"/g, '').slice(0, 60)}`
}

/** A hang of a promise keeps nothing alive, so a timer does. */
const alive = setInterval(() => {}, 60_000)

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return (error.stack ?? error.message).slice(0, 3000)
}

function tell(news: News): Promise<void> {
  return new Promise((resolve) => process.send!(news, () => resolve()))
}

process.once('message', (order: Order) => {
  void run(order).then(() => {
    clearInterval(alive)
    process.exit(0)
  })
})
