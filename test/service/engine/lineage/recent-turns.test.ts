import { expect, it } from 'vitest'
import { hashOfMessages } from '../../../../src/service/engine/lineage/conversation-hash.js'
import { RecentTurns } from '../../../../src/service/engine/lineage/recent-turns.js'

const user = { role: 'user', content: 'Sing.' }
const assistant = { role: 'assistant', content: 'La la.' }
const turn = { prompt: [1, 2], answer: [3, 4] }
const next = [user, assistant, user]

function turnsWith(most?: number): RecentTurns {
  const turns = new RecentTurns(most)
  turns.add(hashOfMessages([user, assistant]).value, turn)
  return turns
}

it.each([
  [[1, 2, 3, 4, 5], undefined],
  [[1, 2, 3, 9, 5], { at: 3, before: 4, now: 9 }],
  [[9, 2, 3, 4, 5], { at: 0, before: 1, now: 9 }],
  [[1, 2, 3], { at: 3, before: 4, now: undefined }],
])('compares the prompt %j with the turn before', (prompt, drift) => {
  expect(turnsWith().driftIn(next, prompt)).toEqual(drift)
})

it('knows nothing about the first turn, or about an answer that the client changed', () => {
  expect(turnsWith().driftIn([user], [9])).toBeUndefined()
  expect(turnsWith().driftIn([user, { ...assistant, content: 'La.' }, user], [9])).toBeUndefined()
})

it('forgets the oldest turns at a limit of ids', () => {
  const turns = turnsWith(10)
  turns.add(1, turn)
  expect(turns.driftIn(next, [9])).toBeDefined()
  turns.add(1, { prompt: [1, 2, 3], answer: [4] })
  expect(turns.driftIn(next, [9])).toBeDefined()
  turns.add(2, turn)
  expect(turns.driftIn(next, [9])).toBeUndefined()
})
