/** What the measurements of the dashboard share. */
import type { Browser, Page } from 'playwright-core'

/** Opens a page of the dashboard of an emulator in a new tab. */
export async function openDashboard(
  browser: Browser,
  { url }: { url: string },
  route: string,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${new URL('/_emulator/', url).href}#/${route}`)
  return page
}

/** The bytes in use on the heap of a tab, after a collection of garbage. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
