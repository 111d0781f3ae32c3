import { expect, it } from 'vitest'
import { Repeats } from '../../../../src/service/engine/chat/repeats.js'
import { savedRepeats } from '../../../../src/service/engine/chat/saved-chat.js'
import { Changes } from '../../../../src/service/engine/saved/unsaved-changes.js'

it('forgets the prompts that came first, and saves that they are gone', () => {
  const changes = new Changes()
  changes.listen(() => {})
  const repeats = new Repeats(changes, 4)
  for (const prompt of ['a', 'b', 'c', 'd', 'e']) repeats.add(prompt, 1)
  expect(repeats.add('a', 1)).toBe(2)
  repeats.add('f', 1)

  expect([...repeats.times]).toEqual([
    ['c', 1],
    ['d', 1],
    ['e', 1],
    ['f', 1],
  ])
  expect([...changes.take()!.parts.get(savedRepeats)!]).toEqual([
    ['a', 0],
    ['b', 0],
    ['c', 1],
    ['d', 1],
    ['e', 1],
    ['f', 1],
  ])
  expect(repeats.add('a', 1)).toBe(1)
})

it('a refused request with a prompt that was forgotten meanwhile leaves no count', () => {
  const repeats = new Repeats(new Changes(), 4)
  for (const prompt of ['a', 'b', 'c', 'd', 'e', 'f']) repeats.add(prompt, 1)
  expect(repeats.add('a', -1)).toBe(0)
  expect(repeats.times.has('a')).toBe(false)
})
