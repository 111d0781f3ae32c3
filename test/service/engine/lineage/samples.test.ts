import { expect, it, vi } from 'vitest'
import type { Sample } from '../../../../src/service/engine/lineage/sample.js'
import { Samples } from '../../../../src/service/engine/lineage/samples.js'

/** The answer to a chat that differs from all others. */
const sampleOf = (number: number): Sample => ({
  number,
  completion: `chatcmpl-${number}`,
  choice: 0,
  at: 0,
  model: 'poet',
  step: 1,
  text: 'a',
  prompt: number,
  through: number,
  words: number,
  ids: number,
  tokens: 1,
  finishReason: 'stop',
  logprobs: false,
  request: undefined,
})

it('samples that are forgotten are not found any more', () => {
  const samples = new Samples()
  const last = 20_001
  for (let number = 1; number <= last; number++) samples.add(sampleOf(number))
  const found = (number: number): number | undefined => {
    const { completion, choice, text, prompt, through, words, ids } = sampleOf(number)
    const answer = { completion, choice, text, words, ids, hashes: { prompt, through } }
    return samples.find(answer, { models: ['poet'], isTaken: () => false })?.sample.number
  }
  expect([found(1), found(last)]).toEqual([1, last])
  const forgotten = samples.forgetOldest()
  expect(forgotten.slice(0, 2)).toEqual([1, 2])
  expect([found(1), found(last)]).toEqual([undefined, last])
})

it('an index that is made again looks at no sample that was forgotten', () => {
  const samples = new Samples()
  for (let number = 1; number <= 20_001; number++) samples.add(sampleOf(number))
  samples.forgetOldest()
  const { completion, choice, text, words, ids } = sampleOf(20_001)
  const answer = { completion, choice, text, words, ids, hashes: { prompt: 0, through: 0 } }
  const looked = vi.spyOn(samples, 'get')
  expect(samples.find(answer, { models: ['poet'], isTaken: () => false })?.by).toBe('id')
  expect(looked).toHaveBeenCalledTimes(samples.size)
})
