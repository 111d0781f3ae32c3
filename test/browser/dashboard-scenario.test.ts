import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeDashboard } from './browser-of-suite.js'
import { holdCalls, type Dashboard, type DashboardOptions } from './open-dashboard.js'

const mine = { name: 'mine', description: 'My own scenario.', extends: 'failing-job' } as const

/** The buttons of a problem, or of the page. */
function button(page: Page | Locator, name: string): Locator {
  return page.getByRole('button', { name, exact: true })
}

describeDashboard('the scenario editor', (open) => {
  /** Opens the editor of a scenario. */
  async function openEditor(
    options: DashboardOptions = { scenario: mine },
  ): Promise<Dashboard & { field: Locator }> {
    const dashboard = await open(options)
    await dashboard.go('scenario')
    const field = dashboard.page.getByLabel('The scenario as YAML')
    await field.waitFor()
    return { ...dashboard, field }
  }

  it('checks the text while you type, goes to the line of a problem, and corrects it', async () => {
    const { page, emulator, field } = await openEditor()
    await field.fill('name: mine\nfaults:\n  - fault: statsu\n    status: 503\njobz: []\n')
    await page.getByText('2 problems').waitFor()
    const problems = page.getByRole('list', { name: 'Problems' })
    await problems.getByText('"statsu" is not allowed here. Did you mean "status"?').waitFor()
    await problems.getByText('unknown key "jobz". Did you mean "jobs"?').waitFor()
    await expect.poll(() => button(page, 'Apply').isDisabled()).toBe(true)
    await button(problems, 'Line 5').click()
    await expect.poll(() => selectedIn(field)).toBe('jobz: []')
    await button(problems, 'Line 3').click()
    await expect.poll(() => selectedIn(field)).toBe('statsu')
    await button(problems, 'Use status').click()
    await page.getByText('1 problem', { exact: true }).waitFor()
    await button(problems, 'Use jobs').click()
    await page.getByText('Valid. Not applied yet.').waitFor()
    await expect
      .poll(() => field.inputValue())
      .toBe('name: mine\nfaults:\n  - fault: status\n    status: 503\njobs: []\n')
    expect(emulator.scenario.faults).toEqual([])
    await button(page, 'Apply').click()
    await expect.poll(() => emulator.scenario.faults.length).toBe(1)
    await button(page, 'Discard your changes').waitFor({ state: 'detached' })
  })

  it('checks only the text at which you stop to type', async () => {
    const { page, go, asked } = await open({ scenario: mine, ownPage: true })
    await go('scenario')
    const field = page.getByLabel('The scenario as YAML')
    await field.waitFor()
    const checks = (): number => asked.filter((url) => url.endsWith('/scenario/check')).length
    const before = checks()
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1000)
    for (const text of ['name: m', 'name: my', 'name: mine']) {
      await field.fill(text)
      await page.clock.runFor(100)
    }
    expect(checks()).toBe(before)
    await page.clock.runFor(1000)
    await page.getByText('Valid. Not applied yet.').waitFor()
    expect(checks()).toBe(before + 1)
  })

  it('says which values of a text were left out where it was written', async () => {
    const { page, field } = await openEditor()
    await field.fill('name: x\nsecrets: { s: "[not shown]" }')
    await page.getByText('counts as the value itself at secrets.s').waitFor()
    await expect.poll(() => button(page, 'Apply').isEnabled()).toBe(true)
  })

  it.each([
    ['', 'it is empty'],
    ['name: x\nfaults:\n  - fault: status\n    status: 42', 'expected at least 400, got 42'],
  ])('says what is wrong with %j', async (text, message) => {
    const { page, field } = await openEditor()
    await field.fill(text)
    await page.getByRole('list', { name: 'Problems' }).getByText(message).first().waitFor()
    await expect.poll(() => button(page, 'Apply').isDisabled()).toBe(true)
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
  })

  it('keeps your changes on other pages and after a reload, until you discard them', async () => {
    const { page, field } = await openEditor()
    const before = await field.inputValue()
    const text = `${before}# Not yet.\n`
    await field.fill(text)
    await page.getByText('Valid. Not applied yet.').waitFor()
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.goBack()
    await expect.poll(() => field.inputValue()).toBe(text)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe(text)
    await button(page, 'Discard your changes').click()
    await expect.poll(() => field.inputValue()).toBe(before)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe(before)
  })

  it('starts over with your text after a confirmation', async () => {
    const { page, emulator, field, createJob } = await openEditor()
    await createJob('poet')
    await field.fill('name: mine\ndescription: Another one.\nextends: sft\n')
    await page.getByText('Valid. Not applied yet.').waitFor()
    await button(page, 'Start over').click()
    await page.getByText('Start over? Deletes 1 job, 2 requests and all models.').waitFor()
    expect(emulator.jobs.all).toHaveLength(1)
    await button(page, 'Delete and start over').click()
    await page.getByText('Another one.').first().waitFor()
    expect(emulator.jobs.all).toHaveLength(0)
    expect(emulator.scenario.description).toBe('Another one.')
    await field.fill('name: not-applied\n')
    await button(page, 'Reset to the initial scenario').click()
    await button(page, 'Delete and reset to the initial scenario').click()
    await page.getByText('My own scenario.').first().waitFor()
    await expect.poll(() => field.inputValue()).toContain('description: My own scenario.')
  })

  it('starts from any built-in scenario, and applies what you change in it', async () => {
    const { page, emulator, field, createJob } = await openEditor({})
    await page.getByLabel('Change to').selectOption('failing-job')
    await expect.poll(() => field.inputValue()).toContain('CUDA out of memory')
    const text = await field.inputValue()
    await field.fill(
      text
        .replace('name: failing-job', 'name: my-failure')
        .replace('CUDA out of memory', 'The node melted'),
    )
    await page.getByText('Valid. Not applied yet.').waitFor()
    await button(page, 'Apply').click()
    await page.getByRole('heading', { name: 'my-failure' }).waitFor()
    const id = await createJob('poet')
    emulator.clock.advance('1m')
    expect(emulator.job(id).errorMessage).toMatch(/^The node melted/)
  })

  it('indents with Tab, and lets the keyboard leave with Escape and Tab', async () => {
    const { page, field } = await openEditor()
    await field.fill('name: x\nchat:')
    await field.press('End')
    await field.press('Enter')
    await field.press('Tab')
    await page.keyboard.type('rules:')
    await field.press('Enter')
    await page.keyboard.type('seed: 1')
    await expect.poll(() => field.inputValue()).toBe('name: x\nchat:\n  rules:\n  seed: 1')
    await field.press('Shift+Tab')
    await expect.poll(() => field.inputValue()).toBe('name: x\nchat:\n  rules:\nseed: 1')
    await field.press('ControlOrMeta+Z')
    await expect.poll(() => field.inputValue()).toBe('name: x\nchat:\n  rules:\n  seed: 1')
    await field.press('ControlOrMeta+A')
    await field.press('Tab')
    await expect.poll(() => field.inputValue()).toBe('  name: x\n  chat:\n    rules:\n    seed: 1')
    const isHere = (): Promise<boolean> => field.evaluate((each) => each === document.activeElement)
    expect(await isHere()).toBe(true)
    await field.press('Escape')
    await page.keyboard.press('Shift+Tab')
    expect(await isHere()).toBe(false)
    await field.focus()
    await field.press('Escape')
    await page.keyboard.press('Tab')
    expect(await isHere()).toBe(false)
  })

  it('indents the selected lines again, and no other', async () => {
    const { field } = await openEditor()
    await field.fill('a:\nb:\nc:')
    await field.press('ControlOrMeta+Home')
    await field.press('Shift+ArrowDown')
    await field.press('Shift+End')
    await field.press('Tab')
    await expect.poll(() => selectedIn(field)).toBe('  a:\n  b:')
    await field.press('Tab')
    await expect.poll(() => field.inputValue()).toBe('    a:\n    b:\nc:')
  })

  it('downloads the text as a file that can be used', async () => {
    const { page, field } = await openEditor()
    const downloading = page.waitForEvent('download')
    await button(page, 'Download').click()
    const file = await downloading
    expect(file.suggestedFilename()).toBe('mine.yaml')
    expect(await readFile(await file.path(), 'utf8')).toBe(await field.inputValue())
  })

  it('shows a scenario with functions, and says why it cannot be changed here', async () => {
    const { page, field } = await openEditor({
      scenario: { name: 'coded', faults: [{ fault: 'drop', match: () => false }] },
    })
    await page.getByText('This scenario has functions, which only code can contain').waitFor()
    expect(await field.evaluate((each: HTMLTextAreaElement) => each.readOnly)).toBe(true)
    await field.press('Tab')
    await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(false)
    await page.getByLabel('Change to').selectOption('failing-job')
    await page.getByText('Tab indents.').waitFor()
  })

  it('takes no text and no choice that it would lose, while it applies a text', async () => {
    const { page, emulator, field } = await openEditor()
    const answer = await holdCalls(page, 'scenario', 'POST')
    const isReadOnly = (): Promise<boolean> =>
      field.evaluate((each: HTMLTextAreaElement) => each.readOnly)
    const choice = page.getByLabel('Change to')
    await field.fill('name: mine\ndescription: Another one.\n')
    await button(page, 'Apply').click()
    await expect.poll(isReadOnly).toBe(true)
    expect(await choice.isDisabled()).toBe(true)
    answer()
    await expect.poll(isReadOnly).toBe(false)
    expect(await choice.isEnabled()).toBe(true)
    expect(emulator.scenario.description).toBe('Another one.')
  })

  it('numbers the lines of a long text, and scrolls the numbers with it', async () => {
    const { page, field } = await openEditor()
    await field.fill(`name: x\n${'# line\n'.repeat(400)}jobz: []\n`)
    await page.getByRole('button', { name: 'Line 402' }).click()
    const [text, numbers] = await Promise.all([
      field.evaluate((each) => each.scrollTop),
      page.locator('.numbers').evaluate((each) => each.scrollTop),
    ])
    expect(text).toBeGreaterThan(1000)
    expect(numbers).toBe(text)
    await expect.poll(() => page.locator('.numbers .bad').textContent()).toBe('402')
  })

  it('says why there is nothing to edit', async () => {
    const { page, go } = await open({ errors: /ERR_FAILED/ })
    await page.route('**/_emulator/scenarios*', (route) => route.abort())
    await go('scenario')
    await page.getByRole('main').getByText('The emulator does not answer').waitFor()
    expect(await page.getByText('Loading the scenario').count()).toBe(0)
  })

  it('says that the emulator is gone, and keeps the text', async () => {
    const { page, emulator, field } = await openEditor({ scenario: mine, errors: /ERR_/ })
    await emulator.close()
    await field.fill('name: later\n')
    await page.getByText('The emulator does not answer').first().waitFor()
    await expect.poll(() => field.inputValue()).toBe('name: later\n')
  })
})

function selectedIn(field: Locator): Promise<string> {
  return field.evaluate((each: HTMLTextAreaElement) => {
    return each.value.slice(each.selectionStart, each.selectionEnd)
  })
}
