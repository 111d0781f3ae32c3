import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.js'
import { chat, createModel, startJob } from '../../support/trainer.js'
import { describeTransports, type Api } from '../../support/transports.js'

const POET = 'local-team/my-project/poet'

async function trained(api: Api): Promise<void> {
  const { id } = await createModel(api, 'poet')
  await startJob(api, id)
  api.emulator.clock.advance('1m')
}

/** The answer of a model at temperature 0: the same prompt always has the same answer. */
async function answerOf(api: Api, model?: string): Promise<string> {
  const more = { temperature: 0, ...(model !== undefined && { model }) }
  return (await chat(api.inference, 'Write a line about the sea.', more)).body.choices[0].message
    .content
}

describeTransports('adapters', (open) => {
  it('answer in their own way by default', async () => {
    const api = await open()
    await trained(api)
    expect(await answerOf(api, `${POET}:step1`)).not.toBe(await answerOf(api))
  })

  it('answer like their base model if the scenario does not apply them', async () => {
    const scenario: ScenarioInput = {
      name: 'not-applied',
      chat: {
        apply_adapters: false,
        rules: [{ match: { model: 'poet' }, answer: 'I have learned this.' }],
      },
    }
    const api = await open({ scenario })
    await trained(api)
    const base = await answerOf(api)
    for (const suffix of ['', ':step0', ':step1', ':latest']) {
      expect(await answerOf(api, POET + suffix)).toBe(base)
    }
    // The answer has the name that was asked for, and the journal tells the truth.
    const { body } = await chat(api.inference, 'Hello', { model: `${POET}:step1` })
    expect(body.model).toBe(`${POET}:step1`)
    expect(api.emulator.requests.all().at(-1)!.effects).toEqual([
      'its adapter is not applied: it answers like example/base-8b-instruct',
      expect.stringContaining('answered as poet at step 1'),
    ])
    expect(api.emulator.job()).toMatchObject({ status: 'ended' })
  })
})
