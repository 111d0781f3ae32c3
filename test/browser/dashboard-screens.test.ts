import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { launchChromium } from '../support/chromium.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { logPoem } from './logged-poem.js'
import { trainThreeJobs } from '../dashboard/training-run.js'
import { describeInBrowser, type Open } from './browser-of-suite.js'
import { openDashboard, type Dashboard, type Screen } from './open-dashboard.js'
import { differenceFromApproved, fixFonts, TOLERANCE } from './screens.js'

const PHONE = { width: 390, height: 844 }
/** Each look and each width: no style depends on both. */
const SCREENS: Readonly<Record<string, Screen>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  narrow: { colorScheme: 'light', viewport: PHONE },
}

const HOST_FONTS = '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'

interface Machine {
  /** What the machine has. */
  what: string
  /** What its font configuration says. */
  fonts?: string
  variables?: Record<string, string>
  flags?: readonly string[]
}

const MACHINES: readonly Machine[] = [
  {
    what: 'other fonts, hinting, colored subpixels, language, time zone and window',
    fonts: `${HOST_FONTS}
      <match target="pattern">
        <edit name="family" mode="assign" binding="strong"><string>DejaVu Serif</string></edit>
        <edit name="hinting" mode="assign"><bool>true</bool></edit>
        <edit name="hintstyle" mode="assign"><const>hintfull</const></edit>
        <edit name="rgba" mode="assign"><const>rgb</const></edit>
        <edit name="lcdfilter" mode="assign"><const>lcddefault</const></edit>
        <edit name="autohint" mode="assign"><bool>true</bool></edit>
        <edit name="dpi" mode="assign"><double>144</double></edit>
      </match>`,
    variables: { LANG: 'de_DE.UTF-8', LANGUAGE: 'de', TZ: 'Asia/Tokyo' },
    flags: ['--window-size=500,400', '--force-dark-mode', '--lang=de'],
  },
  { what: 'no fonts', fonts: '' },
]

describeInBrowser('the screens', (browser) => {
  const open: Open = (options) => openDashboard(browser(), options)

  /** Opens the page of the jobs, in the same world every time. */
  async function openJobs(
    screen: Screen,
    inBrowser = browser(),
  ): Promise<Dashboard & { id: string }> {
    const dashboard = await openDashboard(inBrowser, {
      scenario: 'two-jobs',
      screen,
    })
    const { emulator, createJob } = dashboard
    const sink = emulator.createSink()
    sink.answer({ status: 503, body: 'try again', times: 1 })
    await createJob('poet')
    const id = await createJob('poet')
    emulator.clock.advance(4000)
    await emulator.webhooks.idle()
    await createJob('painter')
    emulator.clock.advance(2500)
    await emulator.webhooks.idle()
    const headers = { 'x-service-signature': 'sha256=5d41402abc4b2a76b9719d91' }
    await sink.fetch(`${sink.url}/elsewhere`, { method: 'POST', headers, body: '{}' })
    const { page, go } = dashboard
    await fixFonts(page)
    await go('jobs')
    await page.getByRole('row', { name: 'painter' }).waitFor()
    return { ...dashboard, id }
  }

  /** How much each page differs from its approved screen, or only some of the pages. */
  async function differencesFromApproved(
    { page, go, id }: Dashboard & { id: string },
    look: string,
    names: readonly string[] = ['jobs', 'job', 'deliveries', 'sink'],
  ): Promise<Record<string, number>> {
    const differences: Record<string, number> = {}
    const pages = [
      ['jobs', 'jobs', page.getByRole('row', { name: 'painter' })],
      ['job', `jobs/${id}`, page.getByRole('img', { name: 'loss over' })],
      ['deliveries', 'deliveries', page.getByRole('row', { name: 'RUN_STATE' }).first()],
      ['sink', 'sink', page.getByRole('row', { name: '/elsewhere' })],
    ] as const
    for (const [name, route, loaded] of pages.filter(([each]) => names.includes(each))) {
      await go(route)
      await loaded.waitFor()
      // A phone has no room for the reward. It does not show the curve of the loss, but has it.
      const curves = look === 'narrow' ? 1 : 2
      if (name === 'jobs') await expect.poll(() => page.locator('.spark').count()).toBe(curves)
      if (name === 'job') {
        await page.getByRole('region', { name: 'Client checks' }).waitFor()
        await page.getByRole('region', { name: 'Groups' }).getByRole('table').waitFor()
        await page.getByRole('region', { name: 'Checkpoints' }).getByRole('table').waitFor()
      }
      differences[name] = await differenceFromApproved(page, `${name}-${look}`)
    }
    return differences
  }

  it.each(Object.keys(SCREENS))('match the approved screenshot (%s)', async (look) => {
    const differences = await differencesFromApproved(await openJobs(SCREENS[look]!), look)
    expect(tooLarge(differences, TOLERANCE)).toEqual({})
  })

  it.each(Object.keys(SCREENS))('match that of the lineage (%s)', async (look) => {
    const { page, emulator, go } = await open({ screen: SCREENS[look]! })
    const { jobs } = await trainThreeJobs(emulator)
    await fixFonts(page)
    await go(`lineage?open=group-${jobs[2]!.slice(0, 8)}-0`)
    await page.getByRole('link', { name: 'Checkpoint: step 1, of singer #1' }).waitFor()
    expect(await differenceFromApproved(page, `lineage-${look}`)).toBeLessThan(TOLERANCE)
  })

  it.each(Object.keys(SCREENS))('match those of runs and artifacts (%s)', async (look) => {
    const { page, emulator, go } = await open({ screen: SCREENS[look]! })
    const { run, rows } = await logPoem(emulator)
    await fixFonts(page)
    const differences: Record<string, number> = {}
    for (const [name, route, loaded] of [
      ['runs', 'runs', page.locator('.spark').nth(1)],
      [
        'run',
        `runs/${encodeURIComponent(run)}`,
        page.getByRole('img', { name: 'train/loss over' }),
      ],
      ['artifacts', 'artifacts', page.getByRole('link', { name: 'rows:v0' })],
      [
        'artifact',
        `artifacts/${encodeURIComponent(rows)}`,
        page.getByRole('link', { name: 'v0', exact: true }),
      ],
    ] as const) {
      await go(route)
      await loaded.waitFor()
      differences[name] = await differenceFromApproved(page, `${name}-${look}`)
    }
    expect(tooLarge(differences, TOLERANCE)).toEqual({})
  })

  it.each(MACHINES)('match the approved screenshots on a machine with $what', async (machine) => {
    const variables: Record<string, string> = { ...machine.variables }
    if (machine.fonts !== undefined) {
      const folder = temporaryFolder()
      variables['FONTCONFIG_FILE'] = join(folder, 'fonts.conf')
      writeFileSync(variables['FONTCONFIG_FILE'], fontsConf(machine.fonts, folder))
    }
    const other = await launchChromium(variables, machine.flags)
    onTestFinished(() => other.close())
    // A machine may change how letters and lines are drawn, and prefer the dark: the page of a job shows all of it.
    const dashboard = await openJobs(SCREENS['light']!, other)
    const differences = await differencesFromApproved(dashboard, 'light', ['job'])
    expect(tooLarge(differences, TOLERANCE / 2)).toEqual({})
  })

  it('do not match the approved screenshot after a visible change', async () => {
    const { page } = await openJobs(SCREENS['light']!)
    for (const [change, style] of [
      ['a column too wide', '.w-state { width: 600px }'],
      ['a missing style', '* { all: revert !important }'],
      ['rows that are too high', 'td { height: 34px }'],
      ['a toolbar that is gone', '.toolbar { display: none }'],
      ['colors for the dark on a light page', ':root { --text: #e3e6ec; --faint: #e3e6ec }'],
      ['a smaller font', 'body { font-size: 12px }'],
      ['a wider margin', 'main { padding-left: 24px }'],
      ['another color of states', '.badge { color: var(--bad) !important }'],
      ['a font without fixed width', ':root { --mono: Screens }'],
    ] as const) {
      await replaceStyle(page, style)
      const difference = await differenceFromApproved(page, 'jobs-light')
      expect({ change, isSeen: difference > 2 * TOLERANCE }).toEqual({ change, isSeen: true })
    }
    await replaceStyle(page, '')
    expect(await differenceFromApproved(page, 'jobs-light')).toBe(0)
  })
})

function tooLarge(differences: Record<string, number>, limit: number): Record<string, number> {
  return Object.fromEntries(Object.entries(differences).filter(([, each]) => each >= limit))
}

/** Sets one more style sheet of the page; it refuses inline styles. */
async function replaceStyle(page: Page, style: string): Promise<void> {
  await page.evaluate(async (text) => {
    const sheet = new CSSStyleSheet()
    await sheet.replace(text)
    document.adoptedStyleSheets = [document.adoptedStyleSheets[0]!, sheet]
  }, style)
}

function fontsConf(content: string, folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <cachedir>${folder}</cachedir>
  ${content}
</fontconfig>
`
}
