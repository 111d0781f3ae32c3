/**
 * The process that tries inputs of one kind. A file always has the index of the current input, so that its
 * parent can name an input that never ends, or that ended the process.
 */
import { openSync, writeSync } from 'node:fs'
import { Draw } from '../../support/draw.js'
import type { FuzzInput, KindName, StartKind } from './kind.js'
import { assertUnpolluted } from './look.js'
import { shrunk, signatureOf } from './shrink.js'

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
  | { news: 'found'; index: number; input: FuzzInput; error: string }
  | { news: 'counted'; index: number; accepted: number; refused: number }
  | { news: 'done' }

const starts: Readonly<Record<KindName, () => Promise<StartKind>>> = {
  snapshots: async () => (await import('./snapshots.js')).startSnapshots,
  'data-folders': async () => (await import('./data-folders.js')).startDataFolders,
  'control-calls': async () => (await import('./control-calls.js')).startControlCalls,
  'socket-calls': async () => (await import('./control-calls.js')).startSocketCalls,
  scenarios: async () => (await import('./scenarios.js')).startScenarios,
  schemas: async () => (await import('./schemas.js')).startSchemas,
  queries: async () => (await import('./queries.js')).startQueries,
  fields: async () => (await import('./fields.js')).startFields,
}

/** How often the counts are sent. */
const COUNTED = 500

async function run(order: Order): Promise<void> {
  const progress = openSync(order.progress, 'w')
  let marks = 0
  const mark = (index: number): void => {
    writeSync(progress, `${index} ${marks++}`.padEnd(24), 0)
  }
  let kind = await (await starts[order.kind]())()
  let accepted = 0
  let refused = 0
  for (let index = order.from; index < order.to; index++) {
    const input = kind.draw(new Draw(order.seed, `${order.kind} ${index}`))
    mark(index)
    try {
      if ((await kind.attempt(input)) === 'accepted') accepted++
      else refused++
      assertUnpolluted()
    } catch (error) {
      const start = await starts[order.kind]()
      const signature = signatureOf(error)
      const least = await shrunk(input, async (smaller) => {
        mark(index)
        const fresh = await start()
        try {
          await fresh.attempt(smaller)
          assertUnpolluted()
          return false
        } catch (found) {
          return signatureOf(found) === signature
        } finally {
          await fresh.end?.()
        }
      })
      await tell({ news: 'found', index, input: least, error: textOf(error) })
      // What the input left behind must not count against the next one.
      await kind.end?.()
      kind = await start()
    }
    if (accepted + refused >= COUNTED || index === order.to - 1) {
      await tell({ news: 'counted', index, accepted, refused })
      accepted = 0
      refused = 0
    }
  }
  await kind.end?.()
  await tell({ news: 'done' })
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
