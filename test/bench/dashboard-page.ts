/** What the measurements of the dashboard share. */
import type { Browser, Page } from 'playwright-core'
import { jsonHeaders } from '../support/api-client.js'

/** An emulator on a port. The URL ends in `/v1`. */
interface Server {
  url: string
}

/** Opens a page of the dashboard in a new tab. */
export async function openDashboard(
  browser: Browser,
  { url }: Server,
  route: string,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${new URL('/_emulator/', url).href}#/${route}`)
  return page
}

/** Starts a job on a model with that name. Returns the job's id. */
export async function startJob({ url }: Server, name: string): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const init = { method: 'POST', headers: jsonHeaders(), body: JSON.stringify(body) }
    return (await (await fetch(url + path, init)).json()) as { id: string }
  }
  const model = { project: 'bench', name, base_model: 'b', return_existing: true }
  const { id: model_id } = await post('/preview/models', model)
  const trajectory_groups = [{ trajectories: [{ reward: 1 }] }]
  return (await post('/preview/training-jobs', { model_id, trajectory_groups })).id
}

/** Calls the control API. */
export async function askControl({ url }: Server, path: string): Promise<unknown> {
  return (await fetch(new URL(`/_emulator/${path}`, url))).json()
}

/** The bytes in use on the heap of a tab, after a collection of garbage. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
