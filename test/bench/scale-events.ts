/** Measures the cost of a page and the memory of a job by its number of events. */
import type { Emulator } from '../../src/index.js'
import { costOf, type Row } from './cost.js'
import * as world from './scale-world.js'
import type { Settings } from './settings.js'
import { figureOf, type Figure, type Table } from './table.js'

const PAGE = 10
const CREATED = 2000

interface Measured {
  steps: number
  first: Row
  last: Row
  created: number
  listed: number
}

export async function scaleOfEvents(settings: Settings): Promise<Table> {
  const sizes = world.sizesFor(settings, [10, 1000, 100_000, 1_000_000])
  const measured: Measured[] = []
  for (const steps of sizes) measured.push(await measure(steps))
  const rows = measured.flatMap(({ first, last }) => [first, last])
  const costs = await costOf(rows, { rounds: settings.rounds * 3, times: 200 })
  const columnOf = (pick: (measured: Measured) => Row): Figure[] => {
    return world.besideFirst(
      measured.map((each) => costs.get(pick(each).name)!),
      'µs',
    )
  }
  const firsts = columnOf(({ first }) => first)
  const lasts = columnOf(({ last }) => last)
  const bytes = world.besideFirst(
    measured.map(({ created }) => [created]),
    'bytes',
  )
  return {
    title: 'Events of a job',
    columns: ['first page', 'last page', 'a job, when created', 'kept of an event once listed'],
    rows: measured.map(({ steps, listed }, index) => ({
      name: world.countOf(steps, 'step'),
      figures: [firsts[index], lasts[index], bytes[index], figureOf([listed], 'bytes')],
    })),
    notes: [
      `In process, microseconds of processor time for a page of ${PAGE} events, and bytes of the heap; beside the first row.`,
    ],
  }
}

async function measure(steps: number): Promise<Measured> {
  const emulator = world.runningWorld(steps, { clock: 'manual' })
  const model = await world.createModel(emulator, 'bench')
  const id = await world.createJob(emulator, model)
  const created = await bytesOfJob(emulator, model)
  emulator.clock.advance((steps + 2) * 1000)
  const events = `/preview/training-jobs/${id}/events`
  const before = world.heap()
  const deep = await cursorBeforeLast(emulator, events)
  const listed = Math.max(0, world.heap() - before) / steps
  const page = async (query: string): Promise<void> => {
    const { data } = await world.call(emulator, `${events}?limit=${PAGE}${query}`)
    if (data.length !== PAGE) throw new Error(`A page of ${data.length} events`)
  }
  return {
    steps,
    created,
    listed,
    first: { name: `first of ${steps}`, run: () => page('') },
    last: { name: `last of ${steps}`, run: () => page(`&after=${deep}`) },
  }
}

/** Measures the memory of a job. Fills caches and the limited journal first. */
async function bytesOfJob(emulator: Emulator, model: string): Promise<number> {
  for (let job = 0; job < 10_000; job++) await world.createJob(emulator, model)
  const before = world.heap()
  for (let job = 0; job < CREATED; job++) await world.createJob(emulator, model)
  return (world.heap() - before) / CREATED
}

/** Gets a cursor from the previous pages, as a client does. */
async function cursorBeforeLast(emulator: Emulator, events: string): Promise<string> {
  let ids: string[] = []
  let after = ''
  for (let more = true; more;) {
    const page = await world.call(emulator, `${events}?limit=100&after=${after}`)
    ids = [...ids.slice(-PAGE), ...page.data.map(({ id }) => id)]
    after = page.last_id
    more = page.has_more
  }
  return ids.at(-PAGE - 1)!
}
