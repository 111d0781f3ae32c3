import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../../../src/index.js'
import { judgeRequest } from '../../../support/judge-request.js'
import { describeTransports, type Api } from '../../../support/transports.js'

const model = 'example/base-8b-instruct'
const down = { fault: 'status', status: 503, match: { judge: true } } as const

function scenario(fault: NonNullable<ScenarioInput['faults']>[number]): ScenarioInput {
  return { name: 'judge-down', faults: [fault] }
}

async function statuses(api: Api): Promise<Record<string, number>> {
  const ask = async (body: object): Promise<number> => {
    return (await api.inference.post('/chat/completions', body)).status
  }
  const messages = [{ role: 'user', content: 'Name a color.' }]
  const schema = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] }
  const response_format = { type: 'json_schema', json_schema: { name: 'color', schema } }
  return {
    judge: await ask({ ...judgeRequest(['Blue.', 'Red.']), model }),
    'a judge that no model has the name of': await ask(judgeRequest(['Blue.', 'Red.'])),
    chat: await ask({ model, messages }),
    'structured chat': await ask({ model, messages, response_format }),
    'broken chat': await ask({ model, messages: [null] }),
  }
}

describeTransports('a fault for judges', (open) => {
  it.each([
    [true, { judge: 503, chat: 200, broken: 400 }],
    [false, { judge: 200, chat: 503, broken: 503 }],
  ])('hits, with judge: %s, by whether a request asks for scores', async (judge, expected) => {
    const api = await open({ scenario: scenario({ ...down, match: { judge } }) })
    expect(await statuses(api)).toEqual({
      judge: expected.judge,
      'a judge that no model has the name of': expected.judge,
      chat: expected.chat,
      'structured chat': expected.chat,
      'broken chat': expected.broken,
    })
  })

  it('refuses chats side by side as often as a chat alone, where the clock skips waits', async () => {
    const windows = ['0s', '5s', '10s'].map((from, index) => {
      return { ...down, during: { from, to: `${5 * (index + 1)}s` } }
    })
    for (const texts of [['Blue.'], ['Blue.', 'Red.', 'Green.', 'Black.', 'White.', 'Gray.']]) {
      const api = await open({ scenario: { name: 'outage', faults: windows }, clock: 'instant' })
      const askAll = (): Promise<number[]> => {
        const bodies = texts.map((text) => ({ ...judgeRequest([text]), model }))
        return Promise.all(
          bodies.map(async (body) => {
            return (await api.inference.post('/chat/completions', body)).status
          }),
        )
      }
      for (const expected of [503, 503, 503, 200]) {
        expect(await askAll()).toEqual(texts.map(() => expected))
      }
    }
  })

  it('can be a function in code', async () => {
    const api = await open({ scenario: scenario({ ...down, match: ({ judge }) => judge }) })
    expect(await statuses(api)).toMatchObject({ judge: 503, chat: 200 })
  })
})
