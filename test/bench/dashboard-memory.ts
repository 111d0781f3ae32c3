import type { Browser, Page } from 'playwright-core'
import { createEmulator } from '../../src/index.js'
import type { Settings } from './settings.js'
import { figureOf, type Figure, type Row, type Table } from './table.js'

const LOOKS = 10
/** The number of entries that the stream sends without skipping. */
const BATCH = 150
const columns = ['page', 'server'] as const

/** Measures the memory of a page and of its emulator while entries go through the stream. */
export async function pageMemory(browser: Browser, { quick }: Settings): Promise<Table> {
  const entries = quick ? 15_000 : 100_000
  const emulator = createEmulator({ clock: 'manual' })
  const { port } = await emulator.listen()
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`http://127.0.0.1:${port}/_emulator/#/requests`)
  await page.getByRole('status').filter({ hasText: 'live' }).waitFor()

  const rows: Row[] = []
  for (let asked = 0; asked < entries;) {
    const end = Math.min(entries, asked + entries / LOOKS)
    while (asked < end) {
      for (let call = 0; call < BATCH; call++) await ask(asked++)
      await new Promise((resolve) => void setTimeout(resolve, 100))
    }
    await page.getByText(`?call=${asked - 1}`).waitFor()
    globalThis.gc!()
    const held = { page: await heapOf(page), server: process.memoryUsage().heapUsed }
    const figures = columns.map((side): Figure => figureOf([held[side] / 1e6], 'MB'))
    rows.push({ name: `${asked.toLocaleString('en-US')} entries`, figures })
  }
  await page.close()
  await emulator.close()
  return {
    title: 'Memory held while entries go through the live stream',
    columns: [...columns],
    rows,
    notes: ['After a collection of garbage, on the page of requests.'],
  }

  async function ask(call: number): Promise<void> {
    await (await emulator.fetch(`${emulator.trainingUrl}/preview/base-models?call=${call}`)).text()
  }
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
