import { expect, it } from 'vitest'
import { describeDashboard } from './browser-of-suite.js'

describeDashboard('the models', (open) => {
  it('are created, shown and deleted, also without a job', async () => {
    const { page, emulator, go } = await open()
    await go('models')
    await page.getByText('No models yet.').waitFor()
    await page.getByRole('button', { name: 'New model' }).click()
    await page.getByLabel('Name').fill('poet')
    await page.getByLabel('Project').fill('verse')
    await page.getByLabel('Name').press('Enter')
    const row = page.getByRole('row', { name: 'poet' })
    await row.getByText('local-team/verse').waitFor()
    await emulator.checkpoints.add({ model: 'poet', served_after: '1m', metrics: { loss: 0.5 } })
    // Another journal entry makes the page read the models again.
    await emulator.fetch(`${emulator.trainingUrl}/health`)
    await row.getByRole('button').click()
    const steps = page.getByRole('list', { name: 'Checkpoints' })
    await steps.getByText('not served yet').waitFor()
    await steps.getByText('loss 0.5').waitFor()
    emulator.clock.advance('2m')
    await expect.poll(() => steps.getByText('not served yet').count()).toBe(0)
    await page.getByRole('button', { name: 'Delete step 1' }).click()
    await page.getByRole('button', { name: 'Yes, delete' }).click()
    await steps.getByText('deleted').waitFor()
    const [poet] = emulator.engine.store.modelStates
    expect(poet!.checkpoints.all.map(({ step }) => step)).toEqual([0])
    await page.getByRole('button', { name: 'Delete model poet' }).click()
    await page.getByText('Deletes 1 checkpoint. 0 unfinished jobs will fail.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('No models yet.').waitFor()
  })

  it('link to their jobs, curves and the chat with a checkpoint', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('poet')
    emulator.clock.advance('1m')
    await go('models')
    const row = page.getByRole('row', { name: 'poet' }).first()
    await row.getByRole('button').press('Enter')
    const jobs = page.getByRole('list', { name: 'Jobs' })
    await jobs.getByRole('link', { name: 'poet #1' }).waitFor()
    expect(
      await page.getByRole('link', { name: 'Curves of its jobs' }).getAttribute('href'),
    ).toMatch(/^#\/curves\?runs=/)
    await page.getByRole('link', { name: 'Chat with step 1' }).click()
    await page.getByRole('heading', { name: 'Chat' }).waitFor()
    await expect
      .poll(() => page.getByLabel('Model', { exact: true }).inputValue())
      .toBe('local-team/demo/poet:step1')
  })

  it('have the number of their checkpoints and jobs', async () => {
    const { page, emulator, go, createJob } = await open()
    await createJob('poet')
    emulator.clock.advance('1m')
    await createJob('poet')
    await createJob('poet')
    await go('models')
    const cells = page.getByRole('row', { name: 'poet' }).first().getByRole('cell')
    await expect
      .poll(async () => (await cells.allTextContents()).slice(-4))
      .toEqual(['1', '2', '2', '3'])
  })

  it('look the same in a window that became narrow', async () => {
    const { page, emulator, go } = await open({ width: 900 })
    const { id } = await emulator.models.create({ name: 'poet' })
    await go(`models?open=model-${id}`)
    const checkpoints = page.getByRole('list', { name: 'Checkpoints' })
    await checkpoints.waitFor()
    const widths = (): Promise<number[]> => {
      return page
        .getByRole('columnheader')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width))
    }
    const narrow = await widths()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.reload()
    await checkpoints.waitFor()
    expect((await widths()).length).toBeGreaterThan(narrow.length)
    await page.setViewportSize({ width: 900, height: 800 })
    await expect.poll(widths).toEqual(narrow)
  })

  it('are a table of four columns on the page of a job, 390 pixels wide', async () => {
    const { page, emulator, go, createJob } = await open({ width: 390 })
    const job = await createJob('poet')
    emulator.clock.advance('1m')
    await go(`jobs/${job}`)
    const columns = page.getByRole('region', { name: 'Checkpoints' }).getByRole('columnheader')
    await expect.poll(() => columns.allTextContents()).toEqual(['Step', 'At', 'Job', 'Aliases'])
  })

  it('are refused at the field, or with the reason', async () => {
    const { page, emulator, go } = await open({ errors: /4\d\d/ })
    await emulator.models.create({ name: 'poet' })
    await go('models?new=yes')
    await page.getByLabel('Name').fill('poet')
    await page.getByRole('button', { name: 'Create model' }).click()
    await page.getByRole('alert').filter({ hasText: 'poet' }).waitFor()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('poet')
  })
})

describeDashboard('a new job', (open) => {
  it.each([
    ['Fails after 3 steps', 'failed', 'out of memory'],
    ['Has a loss of NaN', 'ended', 'NaN'],
    ['Stalls after 3 steps', 'stalled', '3 / '],
    ['Is supervised fine-tuning', 'ended', 'supervised fine-tuning'],
  ])('goes as chosen: %s', async (preset, state, text) => {
    const { page, emulator, go } = await open({ errors: /404/ })
    // A job that no request created has no request to read.
    await go('jobs')
    await page.getByRole('button', { name: 'New job' }).click()
    await page.getByRole('button', { name: preset }).click()
    await page.getByRole('button', { name: 'Create job' }).click()
    await page.getByRole('heading', { name: '#1 queued' }).waitFor()
    emulator.clock.advance('1m')
    await page.getByRole('heading', { name: `#1 ${state}` }).waitFor()
    await page.getByText(text).first().waitFor()
  })

  it('is not created if you cancel', async () => {
    const { page, emulator, go } = await open()
    await go('jobs')
    await page.getByRole('button', { name: 'New job' }).click()
    const form = page.getByRole('form', { name: 'New job' })
    await form.getByLabel('Model').fill('poet')
    await form.getByRole('button', { name: 'Cancel' }).click()
    await form.waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/#\/jobs$/)
    expect(emulator.jobs.all).toEqual([])
  })

  it('names the field that is wrong, keeps what you entered, and takes an existing model', async () => {
    const { page, emulator, go } = await open({ errors: /4\d\d/ })
    const { id } = await emulator.models.create({ name: 'poet' })
    await go(`jobs?new=job&model=${id}`)
    const groups = page.getByLabel('trajectory_groups, as JSON')
    await groups.fill('[{"trajectories": [{"reward": 2}')
    await page.getByRole('button', { name: 'Create job' }).click()
    await page.getByText('This is not JSON').waitFor()
    await expect.poll(() => groups.getAttribute('aria-invalid')).toBe('true')
    await groups.fill('[{"trajectories": [{"reward": 2}, {"reward": 1}]}]')
    await page.getByLabel('timeline, as JSON').fill('[{"event": "gradient_step"}]')
    await page.getByRole('button', { name: 'Create job' }).click()
    await page.getByText('a gradient_step needs a training_started before it').waitFor()
    // A preset keeps the model and the trajectories.
    await page.getByRole('button', { name: 'As the scenario says' }).click()
    await page.getByRole('button', { name: 'Create job' }).click()
    await page.getByRole('heading', { name: 'poet #1 queued' }).waitFor()
    expect([...emulator.engine.store.modelStates]).toHaveLength(1)
  })
})
