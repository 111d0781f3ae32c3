/**
 * What a page of the dashboard and the emulator behind it hold in memory while 100,000 entries go
 * through the stream. Run with `--expose-gc`.
 */
import type { Page } from 'playwright-core'
import { buildAsServed } from '../browser/open-dashboard.js'
import { createEmulator } from '../../src/index.js'
import { launchChromium } from '../support/chromium.js'

const ENTRIES = Number(process.env.ENTRIES ?? 100_000)
const LOOKS = 10
/** As many as the stream tells, so that none is skipped. */
const BATCH = 150

await buildAsServed()
const browser = await launchChromium()
const emulator = createEmulator({ clock: 'manual' })
const { port } = await emulator.listen()
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
await page.goto(`http://127.0.0.1:${port}/_emulator/#/requests`)
await page.getByRole('status').filter({ hasText: 'live' }).waitFor()

const looks: { page: number; server: number }[] = []
for (let asked = 0; asked < ENTRIES;) {
  const end = Math.min(ENTRIES, asked + ENTRIES / LOOKS)
  while (asked < end) {
    for (let call = 0; call < BATCH; call++) await ask(asked++)
    await new Promise((resolve) => void setTimeout(resolve, 100))
  }
  await page.getByText(`?call=${asked - 1}`).waitFor()
  globalThis.gc!()
  looks.push({ page: await heapOf(page), server: process.memoryUsage().heapUsed })
  console.log(
    `${asked} entries: page ${mega(looks.at(-1)!.page)}, server ${mega(looks.at(-1)!.server)}`,
  )
}
const later = looks.slice(LOOKS / 2)
for (const side of ['page', 'server'] as const) {
  const held = later.map((look) => look[side])
  console.log(
    `${side}, in the second half: ${mega(Math.min(...held))} to ${mega(Math.max(...held))}`,
  )
}
await browser.close()
await emulator.close()

async function ask(call: number): Promise<void> {
  await (await emulator.fetch(`${emulator.trainingUrl}/preview/base-models?call=${call}`)).text()
}

async function heapOf(of: Page): Promise<number> {
  const session = await of.context().newCDPSession(of)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

function mega(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
