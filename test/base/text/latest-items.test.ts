import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LatestItems } from '../../../src/base/text/latest-items.js'

it('LatestItems holds the same items as a list that is cut to its end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (all, most) => {
        const items = new LatestItems<number>(most)
        let list: number[] = []
        for (const item of all) {
          const dropped = items.add(item)
          list.push(item)
          expect(dropped).toEqual(list.slice(0, -most))
          list = list.slice(-most)
          expect(items.all).toEqual(list)
          expect(items.size).toBe(list.length)
        }
      },
    ),
  )
})

it('LatestItems inserts an item before later ones', () => {
  const items = new LatestItems<number>(3)
  for (const item of [1, 4, 2, 3]) items.add(item, (other) => other > item)
  expect(items.all).toEqual([2, 3, 4])
})

it('LatestItems drops the oldest items that need too much memory, and one that needs too much alone', () => {
  const items = new LatestItems<string>(10, { most: 5, bytesOf: ({ length }) => length })
  expect(items.add('aa')).toEqual([])
  expect(items.add('bbb')).toEqual([])
  expect(items.add('cccc')).toEqual(['aa', 'bbb'])
  expect(items.add('much too long')).toEqual(['cccc', 'much too long'])
  expect(items.add('d')).toEqual([])
  expect(items.add('eeee')).toEqual([])
  expect(items.all).toEqual(['d', 'eeee'])
})

it('LatestItems creates its list once per change, and never changes an earlier list', () => {
  const items = new LatestItems<string>(2)
  items.add('a')
  const before = items.all
  expect(items.all).toBe(before)
  items.add('b')
  expect([before, items.all]).toEqual([['a'], ['a', 'b']])
  items.clear()
  expect([items.all, items.size]).toEqual([[], 0])
})
