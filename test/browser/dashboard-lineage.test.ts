import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { question, rolloutsOf, sampleGroup, trajectory } from '../support/rollouts.js'
import { trainThreeJobs, type TrainingRun } from '../dashboard/training-run.js'
import { describeDashboard } from './browser-of-suite.js'
import type { Dashboard } from './open-dashboard.js'

function rewards(count: number): object[] {
  return Array.from({ length: count }, (_, reward) => ({ reward }))
}

describeDashboard('the lineage', (open) => {
  async function openThreeJobs(width?: number): Promise<Dashboard & TrainingRun> {
    const screen = width === undefined ? {} : { width }
    const dashboard = await open(screen)
    return { ...dashboard, ...(await trainThreeJobs(dashboard.emulator)) }
  }

  /** The lane of a group in the picture. */
  function laneOf(page: Page, job: string, group: number): Locator {
    const name = page.locator('.flow', { has: page.getByRole('heading', { name: job }) })
    return name.locator('.lane').filter({ hasText: `group ${group}` })
  }

  it('of 200 trajectories in three jobs is a picture with the lag of each answer', async () => {
    const { page, go } = await openThreeJobs()
    await go('lineage')
    await page.getByRole('heading', { name: 'singer #3 (9 groups, 72 trajectories)' }).waitFor()
    const picture = page.getByRole('region', { name: 'Picture of the lineage' })
    expect(await picture.getByRole('link', { name: /^Trajectory/ }).count()).toBe(200)
    expect(await picture.getByRole('link', { name: /^Job/ }).allTextContents()).toEqual([
      'singer #3 ended from step 2',
      'singer #2 ended from step 1',
      'singer #1 ended from step 0',
    ])
    const legend = picture.getByRole('list', { name: 'Answers' }).getByRole('listitem')
    expect(await legend.allTextContents()).toEqual([
      ' newest checkpoint 169',
      ' 1 step behind 32',
      ' more steps behind 16',
      ' another model 0',
      ' base model 8',
      ' no chat gave it 7',
    ])
    const lag = laneOf(page, 'singer #2', 4).getByRole('link', { name: /^Trajectory 1:/ })
    expect(await lag.innerText()).toBe('0.1429\nlag 1')
    expect(await lag.getAttribute('title')).toBe(
      'Trajectory 1: reward 0.1429; lag 1; 1 × step 0, 1 behind',
    )
    const marks = [0, 4, 5, 6, 8].map((group) => {
      const cells = laneOf(page, 'singer #3', group).getByRole('link', { name: /^Trajectory/ })
      return cells.last().innerText()
    })
    expect(await Promise.all(marks)).toEqual([
      '1\ndiffers',
      '1\nlag 2',
      '1\nbase',
      '1\nunknown',
      '1\nlag 2\ntwice',
    ])
    await laneOf(page, 'singer #3', 7).getByText('equal').waitFor()
  })

  it.each([1280, 1030, 768, 390])(
    'cuts no text and lays nothing over another, %d pixels wide',
    async (width) => {
      const { page, go, jobs } = await openThreeJobs(width)
      const groups = [0, 4, 6].map((group) => `group-${jobs[2]!.slice(0, 8)}-${group}`)
      const more = [`group-${jobs[1]!.slice(0, 8)}-0`, `-job-${jobs[0]!.slice(0, 8)}`]
      for (const route of ['lineage', `lineage?open=${[...groups, ...more].join()}`]) {
        await go(route)
        await page.getByRole('link', { name: 'Checkpoint: step 1, of singer #1' }).waitFor()
        expect(await misplacedIn(page)).toEqual({ cut: [], over: [], sideways: 0 })
      }
    },
  )

  it('opens the page of each node', async () => {
    const { page, go, jobs, model, emulator } = await openThreeJobs()
    const short = jobs[2]!.slice(0, 8)
    const opened = async (link: Locator): Promise<string> => {
      await link.click()
      await page
        .getByRole('region', { name: 'Picture of the lineage' })
        .waitFor({ state: 'detached' })
      const { hash } = new URL(page.url())
      await page.goBack()
      await page.getByRole('region', { name: 'Picture of the lineage' }).waitFor()
      return hash
    }
    await go('lineage')
    const lane = laneOf(page, 'singer #3', 0)
    await lane.getByRole('button', { name: 'Chats of group 0: 8 × step 2, newest' }).click()
    const { request } = emulator.lineage().jobs[2]!.groups[0]!.trajectories[1]!.answers[0]!.sample!
    expect(page.url()).toContain(`open=group-${short}-0`)
    expect(await opened(lane.getByRole('link', { name: `Turn 1: request ${request}` }))).toBe(
      `#/requests/${request}`,
    )
    expect(await opened(lane.getByRole('link', { name: /^Trajectory 1:/ }))).toBe(
      `#/jobs/${jobs[2]}?group=0&open=group-0&trajectory=1`,
    )
    expect(await opened(lane.getByRole('link', { name: 'Group 0' }))).toBe(
      `#/jobs/${jobs[2]}?group=0&open=group-0`,
    )
    expect(await opened(page.getByRole('link', { name: 'Job singer #3, ended' }))).toBe(
      `#/jobs/${jobs[2]}`,
    )
    expect(await opened(page.getByRole('link', { name: 'Checkpoint: step 3, of singer #3' }))).toBe(
      `#/models?open=model-${model}`,
    )
  })

  it('is read with the keyboard', async () => {
    const { page, go } = await openThreeJobs()
    await go('lineage')
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement!.getAttribute('aria-label'))
    const chats = page.getByRole('button', { name: /^Chats of group 0/ }).first()
    await chats.focus()
    const way: (string | null)[] = []
    for (const key of ['Tab', 'ArrowRight', 'ArrowDown', 'Tab', 'ArrowRight', 'ArrowRight']) {
      await page.keyboard.press(key)
      way.push(await focused())
    }
    expect(way).toEqual([
      'Trajectory 0: reward 0; differs; 1 × step 2, newest',
      'Trajectory 1: reward 0.1429; differs; 1 × step 2, newest',
      'Trajectory 1: reward 0.1429; 1 × step 2, newest',
      'Group 1',
      'Job singer #3, ended, from step 2',
      'Checkpoint: step 3, of singer #3',
    ])
    await chats.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => chats.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/^Turn 1: request \d+, step 2, newest; .* was sampled/)
  })

  it('is a table as well, with the answers of each trajectory', async () => {
    const { page, go } = await openThreeJobs()
    await go('lineage')
    await page.getByRole('button', { name: 'Table' }).click()
    const rows = page.getByRole('region', { name: 'Groups' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(25)
    expect(await rows.nth(0).innerText()).toBe(
      '0\tsinger #3\t8 × step 2, newest\t0 to 1\t8\t8 × differs',
    )
    expect(await rows.nth(7).getByRole('cell').nth(3).innerText()).toBe('all 0.5 equal')
    await rows.nth(8).getByRole('button').click()
    const trajectories = page.locator('.trajectories > li')
    expect(await trajectories.nth(1).locator('p').first().innerText()).toMatch(
      /^Trajectory 1, reward 0.1429, the same as trajectory 1 of group 0 of job \w{8}$/,
    )
    await trajectories
      .nth(1)
      .getByText(/^Turn 1: step 0, 2 behind, request \d+, \d+ tokens?, ended with stop/)
      .waitFor()
    await trajectories.nth(1).getByRole('link', { name: 'trajectory 1 of group 0' }).click()
    await page.getByRole('heading', { name: 'singer #1' }).waitFor()
    await page.locator('.trajectories > li.named').getByText('Trajectory 1').waitFor()
  })

  it('shows one job, and the samples that no job has used', async () => {
    const { page, go, jobs } = await openThreeJobs()
    await go('lineage')
    await page.getByText('8 samples that no job has used').click()
    await page.locator('.answers li').filter({ hasText: 'singer step 3, request' }).waitFor()
    await go(`jobs/${jobs[1]}`)
    await page.getByRole('link', { name: 'As a picture' }).click()
    await page.getByText('1 job, 64 trajectories').waitFor()
    await page.getByRole('button', { name: 'Show all jobs' }).click()
    await page.getByText('3 jobs, 200 trajectories').waitFor()
  })

  it('grows with each job, and says what a world has not yet', async () => {
    const { page, emulator, go } = await open()
    await go('lineage')
    await page.getByText('No job was submitted with trajectories yet.').waitFor()
    const rollouts = await rolloutsOf(emulator)
    const job = await rollouts.submit(await sampleGroup(rollouts, 'Sing.'))
    await page.getByRole('heading', { name: 'singer #1 (1 group, 2 trajectories)' }).waitFor()
    await page.getByText('not yet').waitFor()
    emulator.jobs.finish(job)
    await page.getByRole('link', { name: 'Checkpoint: step 1, of singer #1' }).waitFor()
    const failing = await rollouts.submit([trajectory(question('Sing.'), 1)])
    emulator.jobs.fail(failing)
    await page.getByTitle('Checkpoint: none, of singer #2').waitFor()
    await page.getByTitle('Chats of group 0: no answers').waitFor()
  })

  it('keeps a job closed that somebody closed, when newer jobs need the room', async () => {
    const { page, emulator, go } = await open()
    const rollouts = await rolloutsOf(emulator)
    await rollouts.train(rewards(2))
    await go('lineage')
    const first = page.getByRole('heading', { name: 'singer #1' }).getByRole('button')
    const expanded = (): Promise<string | null> => first.getAttribute('aria-expanded')
    await expect.poll(expanded).toBe('true')
    await first.click()
    await expect.poll(expanded).toBe('false')
    await rollouts.train(rewards(400))
    await page.getByRole('heading', { name: 'singer #2' }).waitFor()
    expect(await expanded()).toBe('false')
    await first.click()
    await expect.poll(expanded).toBe('true')
  })

  it('closes jobs that are too large to look at, and bounds what it draws', async () => {
    const { page, emulator, go } = await open()
    const rollouts = await rolloutsOf(emulator)
    await rollouts.train(...Array.from({ length: 120 }, () => rewards(2)))
    await rollouts.train(rewards(70), rewards(1000))
    await go('lineage')
    const first = page.getByRole('heading', { name: 'singer #1' }).getByRole('button')
    expect(await first.getAttribute('aria-expanded')).toBe('false')
    await page.getByTitle('240 trajectories').waitFor()
    await page.getByRole('link', { name: '120 groups' }).waitFor()
    await page.getByRole('link', { name: '936 more trajectories' }).waitFor()
    await page.getByTitle('Chats of group 1: no answers').first().click()
    const rows = page.getByRole('listitem').filter({ hasText: 'group 1' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(64 + 1)
    expect(await rows.last().innerText()).toBe('+936')
    await first.click()
    await page.getByRole('link', { name: '20 more groups' }).waitFor()
    expect(await page.getByRole('link', { name: /^Trajectory/ }).count()).toBe(128 + 200)
  })

  it('stands on the page of a job, with what the client checks found', async () => {
    const { page, go, jobs } = await openThreeJobs()
    await go(`jobs/${jobs[2]}`)
    const checks = page.getByRole('region', { name: 'Client checks' })
    for (const text of [
      'base_model_answers 8 answers came from the base model, although the model had a checkpoint',
      'stale_answers 16 answers came from checkpoints that were out of date: job',
      'changed_answers 8 answers differed from what was sampled: job',
      'unknown_answers 7 answers came from no chat with the model: job',
      'duplicate_trajectories 8 trajectories had been submitted before: job',
    ]) {
      await checks.getByText(text).waitFor()
    }
    const training = page.getByRole('region', { name: 'Groups' })
    await training
      .getByText('41 × step 2, newest; 16 × step 0, 2 behind; 8 × base model; 7 × unknown')
      .waitFor()
    await go(`jobs/${jobs[0]}`)
    await training.getByText('64 × step 0, newest').waitFor()
    // An earlier job is as it should be.
    await expect.poll(() => checks.count()).toBe(0)
    await go(`jobs/${jobs[0]}?group=77`)
    await page.getByText('The job has no group 77.').waitFor()
    await page.getByRole('button', { name: 'Show all 8 groups' }).click()
    await expect.poll(() => training.locator('tbody tr').count()).toBe(8)
  })

  it('stands at each checkpoint of a model', async () => {
    const { page, emulator, go, model } = await openThreeJobs()
    await go(`models?open=model-${model}`)
    const steps = page.getByRole('list', { name: 'Checkpoints' }).getByRole('listitem')
    await steps.getByText('From singer #2. 41 answers trained singer #3.').waitFor()
    await steps
      .getByText(
        '64 answers trained singer #1. 32 answers trained singer #2 (1 step behind). 16 answers trained singer #3 (2 steps behind).',
      )
      .waitFor()
    emulator.checkpoints.delete(1)
    // Another journal entry makes the page read the models again.
    await emulator.fetch(`${emulator.trainingUrl}/health`)
    const deleted = steps.filter({ hasText: 'deleted' })
    await deleted.getByText('From singer #1. 64 answers trained singer #2.').waitFor()
    await deleted.getByRole('link', { name: 'singer #2' }).click()
    await page.getByRole('heading', { name: 'singer #2 ended' }).waitFor()
  })
})

/** Text that is cut, nodes that overlap, and how far the page scrolls sideways. */
function misplacedIn(page: Page): Promise<{ cut: string[]; over: string[]; sideways: number }> {
  return page.evaluate(() => {
    const nodes = [...document.querySelectorAll<HTMLElement>('.node')]
    const cut = nodes.filter((node) =>
      [...node.children].some((line) => line.scrollWidth > line.clientWidth),
    )
    const places = nodes.map((node) => node.getBoundingClientRect())
    const over = nodes.filter((_, at) =>
      places.slice(0, at).some((other) => {
        const { left, right, top, bottom } = places[at]!
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom
      }),
    )
    const { scrollWidth, clientWidth } = document.documentElement
    const texts = (found: readonly HTMLElement[]): string[] => found.map((each) => each.innerText)
    return { cut: texts(cut), over: texts(over), sideways: scrollWidth - clientWidth }
  })
}
