import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { buildDashboard } from '../../.build/dashboard.js'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { createModel, startJob } from '../support/trainer.js'
import { clientOf } from '../support/api-client.js'

let built: Promise<unknown> | undefined

/** Builds the dashboard from the current source, once. */
export async function buildAsServed(): Promise<void> {
  built ??= buildDashboard(join(import.meta.dirname, '..', '..', 'dist', 'dashboard'))
  await built
}

export interface Dashboard {
  page: Page
  emulator: Emulator
  /** Every URL that the page requested. */
  asked: string[]
  /** Opens a page of the dashboard: `jobs/0f3a…`. */
  go: (route: string) => Promise<void>
  /** Creates a job on a model with that name, and the model if necessary. Returns the job's id. */
  createJob: (name: string, trajectories?: number) => Promise<string>
}

export interface DashboardOptions extends EmulatorOptions {
  /**
   * What the errors of the page say that the test leads to, as the status of a refused call. Errors are exceptions,
   * refused resources and rejected promises. Default: there are none.
   */
  errors?: RegExp
  /** The token that the control API asks for. */
  controlToken?: string
  screen?: Screen
  /** How many pixels wide the page is. It has 800 rows. Default: that of the screen, or 1280. */
  width?: number
  /** Whether the user has not been here before. It needs a page of its own. */
  isFirstVisit?: boolean
  /** Whether the test changes its page in a way that cannot be undone, as a clock that it installs. */
  ownPage?: boolean
}

const USUAL_VIEWPORT = { width: 1280, height: 800 }

/** What a test sets of the page. Default: 1280 by 800 pixels, light, without forced colors. */
export type Screen = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'forcedColors'>

/** Opens the dashboard of a new emulator with a manual clock. */
export async function openDashboard(
  browser: Browser,
  {
    errors,
    controlToken,
    isFirstVisit = false,
    ownPage = false,
    width,
    screen = width === undefined ? undefined : { viewport: { width, height: 800 } },
    ...options
  }: DashboardOptions = {},
): Promise<Dashboard> {
  const emulator = createEmulator({ clock: 'manual', ...options })
  const { port } = await emulator.listen({ controlToken })
  const isOwn = ownPage || isFirstVisit
  const page = isOwn ? await newPage(browser, isFirstVisit) : await pageOf(browser)
  const complaints: string[] = []
  onTestFinished(async () => {
    if (isOwn) await page.context().close()
    // A page that cannot be left, since it crashed or was closed, is not used again.
    else await leave(page).catch(() => closeSharedPage(browser))
    await emulator.close()
    expect(complaints.filter((complaint) => !errors?.test(complaint))).toEqual([])
  })
  if (screen) await setScreen(page, screen)
  const asked: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error.stack)))
  page.on('console', (told) => told.type() === 'error' && complaints.push(told.text()))
  page.on('request', (request) => asked.push(request.url()))
  return {
    page,
    emulator,
    asked,
    go: async (route) => {
      await page.goto(`http://127.0.0.1:${port}/_emulator/#/${route}`)
      await page.getByRole('status').filter({ hasText: 'live' }).waitFor()
      // The scenario and the seed arrive later and move other parts of the header.
      await page
        .getByRole('banner')
        .getByText(/^seed /)
        .waitFor()
    },
    createJob: async (name, trajectories = 6) => {
      const client = clientOf(emulator)
      const { id } = await createModel(client, { project: 'demo', name, return_existing: true })
      // Their mean is 1. The first two differ, so that there is something to train on.
      const rewards = [1.5, 0.5, ...Array.from<number>({ length: trajectories }).fill(1)]
      const rewarded = rewards.slice(0, trajectories).map((reward) => ({ reward }))
      return startJob(client, id, [{ trajectories: rewarded }])
    },
  }
}

/**
 * Lets the calls of a page wait until the test calls the function that this returns.
 *
 * @param path - Whose calls wait, after `/_emulator/`. `*` is any text.
 * @param method - Only calls with that method wait. Default: all.
 */
export async function holdCalls(page: Page, path: string, method?: string): Promise<() => void> {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(`**/_emulator/${path}`, async (route) => {
    if (method === undefined || route.request().method() === method) await released
    await route.continue()
  })
  return release
}

async function setScreen(
  page: Page,
  { viewport, colorScheme = 'light', forcedColors = 'none' }: Screen,
): Promise<void> {
  await page.setViewportSize(viewport ?? USUAL_VIEWPORT)
  await page.emulateMedia({ colorScheme, forcedColors })
}

async function newPage(browser: Browser, isFirstVisit = false): Promise<Page> {
  const context = await browser.newContext({ viewport: USUAL_VIEWPORT })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  if (!isFirstVisit) {
    await page.addInitScript(() => {
      // Only pages of a server have a storage.
      if (location.protocol === 'http:') localStorage.setItem('svtrain-visited', 'before')
    })
  }
  return page
}

const pages = new WeakMap<Browser, Promise<Page>>()

/**
 * The page that the tests of a suite share: a new one for each test would take longer than the test.
 * Every emulator has an origin of its own, so that a test finds nothing of the one before it.
 */
function pageOf(browser: Browser): Promise<Page> {
  const page = pages.get(browser) ?? newPage(browser)
  pages.set(browser, page)
  return page
}

/** Closes the page that the tests of a suite shared. The next suite gets a new one. */
export async function closeSharedPage(browser: Browser): Promise<void> {
  const page = await pages.get(browser)
  pages.delete(browser)
  await page?.context().close()
}

/** Resets the shared page after a test. */
async function leave(page: Page): Promise<void> {
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().clearPermissions()
  await page.goto('about:blank')
  await setScreen(page, {})
  await page.mouse.move(0, 0)
}
