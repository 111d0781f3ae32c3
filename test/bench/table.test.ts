import { expect, it } from 'vitest'
import { figureOf, joinTables, markdownOf, shareOf } from './table.js'

it('tables with the same title are joined, with a dash for a missing row', () => {
  const bare = [100, 110, 90]
  const tables = joinTables([
    {
      title: 'Servers',
      columns: ['start'],
      rows: [
        { name: 'bare', figures: [figureOf(bare, 'ms')] },
        { name: 'ours', figures: [figureOf([200, 231, 171], 'ms', bare)] },
      ],
      notes: ['Less is better.'],
    },
    {
      title: 'Servers',
      columns: ['size'],
      rows: [{ name: 'ours', figures: [figureOf([12_345], 'kB')] }],
      notes: ['Less is better.'],
    },
  ])
  expect(tables.map(markdownOf)).toEqual([
    [
      '### Servers',
      '',
      '|  | start | size |',
      '| --- | ---: | ---: |',
      '| bare | 100 ms | – |',
      '| ours | 2.00 ± 0.10 (200 ms) | 12,345 kB |',
      '',
      'Less is better.',
      '',
    ].join('\n'),
  ])
})

it('a share above 1 says that this tree is faster or takes less', () => {
  const told = { value: 200, ratio: 2, spread: 0 }
  expect(shareOf([200, 100, 220], 'µs', [100, 50, 110])).toEqual({ ...told, unit: 'µs' })
  expect(shareOf([200, 100, 220], '/s', [400, 200, 440])).toEqual({ ...told, unit: '/s' })
})
