import fc from 'fast-check'
import { expect, it } from 'vitest'
import { promptsOf } from '../../../../src/service/engine/lineage/prompts.js'
import { readTrajectory } from '../../../../src/service/engine/lineage/read-trajectory.js'

/** Writes a conversation: `q: Sing.` is said by a user, `a: La.` by an agent, and `c: La.` is a choice. */
function beginningOf(...turns: readonly string[]) {
  const items = turns.map((turn) => {
    const [who, content] = turn.split(': ')
    if (who === 'q') return { role: 'user', content }
    const message = { role: 'assistant', content }
    return who === 'a' ? message : { message }
  })
  const read = readTrajectory({ messages_and_choices: items })
  const [first] = read.answers
  return { begins: first?.hashes.prompt ?? 0, first: read.placeOf(first) }
}

/** How many prompts a group has. */
function countedIn(...conversations: readonly (readonly string[])[]): number {
  return new Set(promptsOf(conversations.map((turns) => beginningOf(...turns)))).size
}

it('a turn of an agent before the first choice is an answer if others answer there, too', () => {
  expect(countedIn(['q: Sing.', 'c: La.'], ['q: Sing.', 'a: Lo.', 'q: More.', 'c: Li.'])).toBe(1)
  expect(
    countedIn(
      ['q: Sing.', 'a: La.', 'q: More.', 'c: Li.'],
      ['q: Sing.', 'a: Lo.', 'q: More.', 'c: Li.'],
    ),
  ).toBe(1)
})

it('an example in a prompt is no answer', () => {
  const example = ['q: 1 + 1', 'a: 2']
  expect(countedIn([...example, 'q: 2 + 2', 'c: 4'], [...example, 'q: 3 + 3', 'c: 6'])).toBe(2)
})

it('another question is another prompt', () => {
  expect(countedIn(['q: Sing.', 'c: La.'], ['q: Rhyme.', 'c: La.'])).toBe(2)
})

const group = [
  ['q: Sing.', 'a: La.', 'q: More.', 'c: Li.'],
  ['q: Sing.', 'c: Lo.'],
  ['q: Sing.', 'a: La.', 'q: Louder.', 'c: Li.'],
  ['q: Rhyme.', 'c: Sea, tea.'],
]

it('the order of a group does not change which of its trajectories have the same prompt', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(group, { minLength: 4 }), (shuffled) => {
      const prompts = promptsOf(shuffled.map((turns) => beginningOf(...turns)))
      const ofSing = shuffled.flatMap(([question], at) => {
        return question === 'q: Sing.' ? [prompts[at]] : []
      })
      expect([new Set(ofSing).size, new Set(prompts).size]).toEqual([1, 2])
    }),
  )
})
