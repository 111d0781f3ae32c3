import axeCore, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { ScenarioInput } from '../../src/index.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'
import { logPoem } from './logged-poem.js'
import { trainThreeJobs } from '../dashboard/training-run.js'
import { unfitting } from './fit.js'
import type { Dashboard, Screen } from './open-dashboard.js'

/** The first job fails, the second one runs with a loss of NaN, and the third one waits. */
const scenario: ScenarioInput = {
  name: 'mixed',
  extends: 'happy-path',
  jobs: [
    ...jobsWith(
      { count: 2 },
      { event: 'training_failed', after: '1s', error_message: 'out of memory' },
    ),
    ...jobsWith(
      { count: 100, spoil: [{ at: 3, metric: 'loss', with: 'NaN' }] },
      { event: 'never' },
    ),
    { timeline: [{ event: 'never' }] },
  ],
}

interface Ids {
  run: string
  artifact: string
  job: string
  request: string
  delivery: string
}

/** Every page: its route, and what is there once it has loaded. Add a line for a new page. */
const PAGES: readonly (readonly [route: (ids: Ids) => string, loaded: string])[] = [
  [() => 'jobs', 'tbody tr'],
  [({ job }) => `jobs/${job}`, '.chart canvas'],
  [() => 'curves', '.chart canvas'],
  [() => 'models', 'h1'],
  [() => 'runs', '.spark'],
  [({ run }) => `runs/${run}`, '.chart canvas'],
  [() => 'artifacts', 'tbody tr'],
  [({ artifact }) => `artifacts/${artifact}`, 'tbody tr'],
  [() => 'lineage', 'h1'],
  [() => 'chat', 'h1'],
  [() => 'requests', 'tbody tr'],
  [({ request }) => `requests/${request}`, 'h1'],
  [() => 'timeline', 'h1'],
  [() => 'deliveries', 'tbody tr'],
  [({ delivery }) => `deliveries/${delivery}`, 'tbody tr'],
  [() => 'sink', 'tbody tr'],
  [() => 'schedule', 'h1'],
  [() => 'faults', 'h1'],
  [() => 'webhooks', 'h1'],
  [() => 'automations', 'tbody tr'],
  [() => 'secrets', 'tbody tr'],
  [() => 'scenario', '.listing, textarea'],
]

/** The pages of a world in which nothing has happened yet. */
const EMPTY = PAGES.map(([route]) =>
  route({ job: '', request: '', delivery: '', run: '', artifact: '' }),
).filter((route) => !route.endsWith('/'))

const LOOKS: Readonly<Record<string, Screen>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced colors': { forcedColors: 'active' },
}
/** What depends on the colors. All other rules take as long as these together. */
const OF_COLORS = ['color-contrast', 'link-in-text-block']
/** What depends on the colors or on the width, unless a width shows other elements. */
const OF_SCREENS = [...OF_COLORS, 'scrollable-region-focusable']

/** Each look and each width. What a rule finds depends on the colors or on the layout, not on both. */
const SCREENS = [
  [1280, 'light'],
  [768, 'forced colors'],
  [390, 'dark'],
].map(([width, look]) => {
  return {
    width,
    look,
    screen: { ...LOOKS[look!], viewport: { width: Number(width), height: 800 } },
  }
})

describeDashboard('accessibility', (open) => {
  async function openMixedWorld(screen: Screen): Promise<Dashboard & { ids: Ids }> {
    const dashboard = await open({ scenario, screen })
    const { page, emulator, createJob } = dashboard
    await loadAxe(page)
    const sink = emulator.createSink()
    sink.answer({ status: 503, body: 'try again', times: 1 })
    await createJob('poet')
    const job = await createJob('painter')
    await createJob('poet')
    await emulator.fetch(`${emulator.trainingUrl}/preview/nothing`)
    emulator.clock.advance('8s')
    await emulator.webhooks.idle()
    // Long enough that its box scrolls.
    const body = JSON.stringify({ event_type: 'OWN', lines: [...Array(200).keys()] }, null, 2)
    const headers = { 'x-service-signature': 'sha256=5d41402abc4b2a76b9719d91' }
    await sink.fetch(`${sink.url}/elsewhere`, { method: 'POST', headers, body })
    const refused = emulator.journal.entries.find((entry) => {
      return entry.kind === 'request' && entry.path.endsWith('/nothing')
    })
    const delivery = emulator.webhooks.deliveries[0]!.id
    const { run, rows } = await logPoem(emulator)
    const [runId, artifact] = [run, rows].map(encodeURIComponent) as [string, string]
    const ids = { job, delivery, request: String(refused!.id), run: runId, artifact }
    return { ...dashboard, ids }
  }

  it.each(SCREENS)('of all pages, $width pixels wide, $look', async ({ look, screen }) => {
    const { page, go, ids } = await openMixedWorld(screen)
    const found: string[] = []
    for (const [route, loaded] of PAGES) {
      await go(route(ids))
      await page.locator('main').locator(loaded).first().waitFor()
      // With open details, a page still shows all the rest in its colors.
      if (look === 'light' && (await hasDetails(page))) {
        const problems = await problemsOf(page, without(OF_COLORS))
        found.push(...problems.map((problem) => `${route(ids)} ${problem}`))
      }
      await openDetails(page)
      // The page is the same at 1280 pixels, and the elements of narrow pages are in the one of 390 pixels.
      const rules = look === 'forced colors' ? only(OF_SCREENS) : {}
      const problems = await problemsOf(page, rules)
      found.push(...problems.map((problem) => `${route(ids)}, open: ${problem}`))
      const { cut, tables } = await unfitting(page, 'th')
      found.push(...cut.map((heading) => `${route(ids)}: the heading ${heading} is cut`))
      found.push(...tables.map((over) => `${route(ids)}: a table is ${over} pixels too wide`))
    }
    expect(found).toEqual([])
  })

  it.each(SCREENS)('of empty pages, $width pixels wide, $look', async ({ look, screen }) => {
    // Without a sink, there are no records.
    const { page, go } = await open({ screen, errors: /404/ })
    await loadAxe(page)
    const found: string[] = []
    for (const route of EMPTY) {
      await go(route)
      await page.locator('main h1').first().waitFor()
      const rules = look === 'light' ? {} : only(OF_SCREENS)
      // In one look, what is around an empty page is the same on all of them.
      const part = look === 'light' || route === EMPTY[0] ? 'html' : 'main'
      const problems = await problemsOf(page, rules, part)
      found.push(...problems.map((problem) => `${route} ${problem}`))
    }
    expect(found).toEqual([])
  })

  it.each(SCREENS)(
    'of what jobs trained on, $width pixels wide, $look',
    async ({ look, screen }) => {
      const { page, emulator, go } = await open({ screen })
      await loadAxe(page)
      // Two trajectories show what eight show.
      const { jobs, model } = await trainThreeJobs(emulator, 2)
      const found: string[] = []
      for (const [route, loaded] of [
        ['lineage', '.lane'],
        [`lineage?job=${jobs[2]}&view=table`, 'tbody tr'],
        [`jobs/${jobs[2]}?group=0&open=group-0&trajectory=1`, '.named'],
        [`models?open=model-${model}`, '.checkpoints a[href*="jobs/"]'],
      ] as const) {
        await go(route)
        await page.locator('main').locator(loaded).first().waitFor()
        await openDetails(page)
        const rules = look === 'light' ? {} : only(OF_SCREENS)
        found.push(...(await problemsOf(page, rules)).map((problem) => `${route}: ${problem}`))
      }
      expect(found).toEqual([])
    },
  )

  it('is really checked: a button without a name is found, and a text too pale', async () => {
    const { page, go } = await openMixedWorld(LOOKS['light']!)
    await go('jobs')
    await page.evaluate(() =>
      document.querySelector('main')!.append(document.createElement('button')),
    )
    expect(await problemsOf(page)).toEqual([expect.stringContaining('button-name')])
    await page.evaluate(() => {
      const pale = new CSSStyleSheet()
      pale.replaceSync('main h1 { color: #bbb }')
      document.adoptedStyleSheets = [pale]
    })
    expect(await problemsOf(page, only(OF_SCREENS))).toEqual([
      expect.stringContaining('color-contrast'),
    ])
  })

  it('in forced colors: states that colors show are visible', async () => {
    const { page, go } = await openMixedWorld({ forcedColors: 'active' })
    await go('jobs')
    await page.getByRole('row', { name: 'painter' }).waitFor()
    await page.getByRole('button', { name: /^failed/ }).click()
    const seen = await page.evaluate(() => {
      const style = (selector: string, part?: string): CSSStyleDeclaration =>
        getComputedStyle(document.querySelector(selector)!, part)
      return {
        page: style('.pages a[aria-current]').borderLeftWidth,
        filter: style('.choices [aria-pressed="true"]').borderBottomWidth,
        dot: style('td .badge', '::before').backgroundColor !== style('td').backgroundColor,
        bar: style('progress').color !== style('progress').backgroundColor,
      }
    })
    expect(seen).toEqual({ page: '3px', filter: '3px', dot: true, bar: true })
  })
})

/** Loads axe with each document that the page opens during a test. */
async function loadAxe(page: Page): Promise<void> {
  const script = await page.addInitScript(axeCore.source)
  onTestFinished(() => script.dispose())
}

const CLOSED_ROWS = 'main button[aria-expanded="false"]'

async function hasDetails(page: Page): Promise<boolean> {
  return (await page.locator(`main summary, ${CLOSED_ROWS}`).count()) > 0
}

/** Opens the details of a few rows, and what else is closed. */
async function openDetails(page: Page): Promise<void> {
  const summaries = await page.locator('main summary').all()
  for (const summary of summaries) await summary.click()
  const closed = page.locator(CLOSED_ROWS)
  const rows = Math.min(2, await closed.count())
  for (let row = 0; row < rows; row++) await closed.first().click()
}

function only(rules: string[]): RunOptions {
  return { runOnly: rules }
}

function without(rules: string[]): RunOptions {
  return { rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])) }
}

/** What axe finds in a part of the page: the rule, the elements, and what is wrong with them. */
function problemsOf(page: Page, options: RunOptions = {}, part = 'html'): Promise<string[]> {
  return page.evaluate(
    async ([selector, rules]) => {
      const { axe } = globalThis as unknown as { axe: typeof axeCore }
      // Axe describes nothing else, which takes a sixth less time.
      const { violations } = await axe.run(selector, { ...rules, resultTypes: ['violations'] })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
      )
    },
    [part, options] as const,
  )
}
