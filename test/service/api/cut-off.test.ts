import { expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.js'
import { judgeRequest, scoresIn } from '../../support/judge-request.js'
import { chat } from '../../support/trainer.js'
import { describeTransports } from '../../support/transports.js'

const ANSWER = 'Blue is the color of the sea, of the sky, and of much else.'
const cutting = (cut_off: number): ScenarioInput => {
  return { name: 'cut', chat: { cut_off, rules: [{ answer: ANSWER }] } }
}

describeTransports('answers that are cut off', (open) => {
  it('end in the middle with length, and their tokens agree', async () => {
    const api = await open({ scenario: cutting(1) })
    const more = { logprobs: true, return_token_ids: true }
    const { body } = await chat(api.inference, 'Name a color.', more)
    const [{ finish_reason, message, logprobs, token_ids }] = body.choices
    expect(finish_reason).toBe('length')
    expect(ANSWER.startsWith(message.content)).toBe(true)
    expect(message.content.length).toBeLessThan(ANSWER.length)
    expect(message.content).not.toBe('')
    expect(token_ids).toHaveLength(body.usage.completion_tokens)
    expect(logprobs.content).toHaveLength(body.usage.completion_tokens)
  })

  it('are as many as the scenario says, the same in each run', async () => {
    const reasonsOf = async (): Promise<string[]> => {
      const api = await open({ scenario: cutting(0.75) })
      const { body } = await chat(api.inference, 'Name a color.', { n: 100 })
      return body.choices.map((choice: { finish_reason: string }) => choice.finish_reason)
    }
    const reasons = await reasonsOf()
    const cut = reasons.filter((reason) => reason === 'length').length
    expect(cut).toBeGreaterThan(65)
    expect(cut).toBeLessThan(85)
    expect(await reasonsOf()).toEqual(reasons)
  })

  it('can have a part of a tool call, but are never the answers of a judge', async () => {
    const city = 'a city with a long name. '.repeat(5)
    const call = { name: 'get_weather', arguments: { city } }
    const api = await open({
      scenario: { name: 'cut', chat: { cut_off: 1, rules: [{ answer: { tool_calls: [call] } }] } },
    })
    const tools = [{ type: 'function', function: { name: 'get_weather' } }]
    const [choice] = (await chat(api.inference, 'Weather?', { tools })).body.choices
    expect(choice.finish_reason).toBe('length')
    const [{ function: called }] = choice.message.tool_calls
    expect(() => JSON.parse(called.arguments)).toThrow('JSON')
    api.emulator.reset(cutting(1))
    const { body } = await api.inference.post('/chat/completions', judgeRequest(['Blue.', 'Red.']))
    expect(body.choices[0].finish_reason).toBe('stop')
    expect(scoresIn(body.choices[0].message.content)).toHaveLength(2)
  })
})
