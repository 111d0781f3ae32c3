import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { EmulatorOptions, ScenarioInput } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { describeDashboard } from './browser-of-suite.js'
import { jobsWith } from '../support/job-timelines.js'
import type { Dashboard } from './open-dashboard.js'
import { differenceFromApproved, fixFonts, TOLERANCE } from './screens.js'

const spoilt: ScenarioInput = {
  name: 'spoilt-loss',
  jobs: jobsWith({ count: 6, spoil: [{ at: [3, 4, 5, 6], metric: 'loss', with: 'NaN' }] }),
}

const planned: ScenarioInput = {
  name: 'planned',
  webhooks: [{ name: 'deploy', retries: ['30s'] }],
  automations: [{ name: 'states', webhook: 'deploy', event: 'RUN_STATE' }],
  faults: [{ name: 'maintenance', fault: 'status', status: 503, open: false }],
  timeline: [{ at: '1m', do: 'open_fault', fault: 'maintenance' }],
}

interface Asked extends Dashboard {
  click: (on: Locator) => Promise<void>
  clicks: () => number
}

const GOOD = { withinThreeClicks: true, asApproved: true }

// Each question is asked at the first page. The screens are the answers.
describeDashboard('the dashboard', (open) => {
  /** Opens a dashboard that counts clicks, with the fonts of the approved screens. */
  async function ask(options: EmulatorOptions = {}): Promise<Asked> {
    const dashboard = await open(options)
    await fixFonts(dashboard.page)
    let clicked = 0
    return {
      ...dashboard,
      clicks: () => clicked,
      click: async (on) => {
        await on.click()
        clicked++
      },
    }
  }

  /** How far the answer was from the first page, and how it looks. */
  async function answerOf({ page, clicks }: Asked, screen: string) {
    await page.mouse.move(0, 0)
    const difference = await differenceFromApproved(page, screen)
    return { withinThreeClicks: clicks() <= 3, asApproved: difference < TOLERANCE }
  }

  it('says why a 422 was refused', async () => {
    const asked = await ask()
    const { page, emulator, go, click } = asked
    const group = { trajectories: [{ reward: 1 }, { reward: 'great' }] }
    const body = { model: 'poet', trajectory_groups: [group] }
    await clientOf(emulator).post('/preview/training-jobs', body)
    await go('')
    await click(page.getByRole('link', { name: 'Requests' }))
    const row = page.getByRole('row', { name: '422' })
    await row.getByText('body.model_id: Field required, and 1 more').waitFor()
    await click(row.getByRole('button'))
    await click(page.getByRole('link', { name: /^Request \d/ }))
    const why = page.getByRole('region', { name: 'Why it was refused' })
    await why.getByText('Fields that you sent there: model, trajectory_groups.').waitFor()
    await why.getByText('trajectory_groups[0].trajectories[1].reward').waitFor()
    await why.getByText('"great"').waitFor()
    await hideDuration(page)
    expect(await answerOf(asked, 'answer-why-422')).toEqual(GOOD)
  })

  it('says which delivery failed, and why', async () => {
    const asked = await ask()
    const { page, emulator, go, createJob, click } = asked
    emulator.createSink().answer({ status: 503, body: 'the receiver is being updated' })
    await createJob('poet')
    await createJob('painter')
    emulator.clock.advance('1d')
    await emulator.webhooks.idle()
    await go('')
    await click(page.getByRole('link', { name: 'Webhooks' }))
    await click(page.getByRole('link', { name: 'Deliveries', exact: true }))
    const failed = page.getByRole('row').filter({ hasText: 'failed' }).filter({ hasText: '503' })
    await click(failed.first().getByRole('link').first())
    await page.getByRole('heading', { name: /failed$/ }).waitFor()
    const attempts = page.getByRole('region', { name: 'Attempts' })
    await attempts.getByText('the receiver is being updated').first().waitFor()
    await hideDuration(page)
    expect(await answerOf(asked, 'answer-failed-delivery')).toEqual(GOOD)
  })

  it('says at which step the loss became NaN', async () => {
    const asked = await ask({ scenario: spoilt })
    const { page, emulator, go, createJob, click } = asked
    await createJob('poet')
    emulator.clock.advance('1m')
    await go('')
    await click(page.getByRole('row', { name: 'NaN' }).getByRole('link'))
    await page.getByText('loss NaN since step 3').waitFor()
    await page.getByRole('img', { name: /^loss over .*NaN/ }).waitFor()
    await page.getByRole('region', { name: 'Checkpoints' }).getByRole('table').waitFor()
    expect(await answerOf(asked, 'answer-nan')).toEqual(GOOD)
  })

  it('says what happens next', async () => {
    const asked = await ask({ scenario: planned })
    const { page, emulator, go, createJob, click } = asked
    emulator.createSink().answer({ status: 503, times: 1 })
    await createJob('poet')
    emulator.clock.advance('1500ms')
    await emulator.webhooks.idle()
    await go('')
    await click(page.getByRole('link', { name: /^\d+ tasks, next at / }))
    await page.getByText('Next, in 500 ms: poet').waitFor()
    const scheduled = page.getByRole('region', { name: 'Scheduled' })
    await scheduled.getByText('open fault "maintenance"').waitFor()
    await scheduled.getByText('RUN_STATE running to deploy (attempt 2)').waitFor()
    expect(await answerOf(asked, 'answer-what-comes-next')).toEqual(GOOD)
  })
})

/** How long an answer took is real time. */
function hideDuration(page: Page): Promise<void> {
  return page.getByText(/^[\d.,]+ ms$/).evaluate((took) => took.replaceChildren('1.0 ms'))
}
