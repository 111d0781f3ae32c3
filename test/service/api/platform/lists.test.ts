import { expect, it } from 'vitest'
import { graphql } from '../../../support/graphql.js'
import { aRunThat } from '../../../support/platform-records.js'
import { describeInProcess, type Api } from '../../../support/transports.js'

/** The names of the runs that a client asks for. */
async function runsIn(api: Api, wanted: { filters?: object; order?: string }): Promise<string[]> {
  const query = `query($filters: JSONString, $order: String) {
    project(name: "verse", entityName: "local-team") {
      runs(filters: $filters, order: $order) { edges { node { name } } }
    }
  }`
  const { filters, order } = wanted
  const variables = { order, filters: filters && JSON.stringify(filters) }
  const { edges } = (await graphql(api, query, variables)).data.project.runs
  return edges.map(({ node }: { node: { name: string } }) => node.name)
}

describeInProcess('a list of runs', (open) => {
  it('has one order, also of values that cannot be compared', async () => {
    const api = await open()
    const values = {
      ten: 10,
      text: '1a',
      two: 2,
      nine: 9,
      none: 'NaN',
      least: '-Infinity',
      most: 'Infinity',
      minus: -5,
    }
    for (const [name, loss] of Object.entries(values)) {
      aRunThat(api.emulator, { name, summary: { loss } })
    }
    aRunThat(api.emulator, { name: 'silent' })
    const ascending = ['none', 'silent', 'least', 'minus', 'two', 'nine', 'ten', 'most', 'text']
    expect(await runsIn(api, { order: '+summary_metrics.loss' })).toEqual(ascending)
    const descending = await runsIn(api, { order: '-summary_metrics.loss' })
    expect(descending).toEqual(ascending.toReversed())
  })

  it('has an order by several values', async () => {
    const api = await open()
    for (const [name, group] of Object.entries({ a: 'two', b: 'one', c: 'two', d: 'one' })) {
      aRunThat(api.emulator, { name, facts: { group } })
    }
    expect(await runsIn(api, { order: '+group,-name' })).toEqual(['d', 'b', 'c', 'a'])
    expect(await runsIn(api, { order: '-group, created_at' })).toEqual(['a', 'c', 'b', 'd'])
  })

  it.each([
    ['2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00'],
    ['2026-01-01 00:00'],
    ['2026-01-01'],
    ['2026-01-01T02:00:00+02:00'],
    ['2025-12-31T19:30:00-0430'],
  ])('is filtered by a moment, however a client writes it: %s', async (moment) => {
    const api = await open({ clock: 'manual' })
    aRunThat(api.emulator, { name: 'first' })
    api.emulator.clock.advance('10m')
    aRunThat(api.emulator, { name: 'later' })
    const found = (filter: object) => runsIn(api, { filters: { created_at: filter } })
    expect(await found({ $gte: moment })).toEqual(['first', 'later'])
    expect(await found({ $gt: moment })).toEqual(['later'])
    expect(await found({ $lte: moment })).toEqual(['first'])
    expect(await found({ $in: [moment] })).toEqual(['first'])
  })

  it('is filtered by whether there is a value, in any way to say yes and no', async () => {
    const api = await open()
    aRunThat(api.emulator, { name: 'measured', summary: { loss: 1 } })
    aRunThat(api.emulator, { name: 'silent' })
    const found = ($exists: unknown) =>
      runsIn(api, { filters: { 'summary_metrics.loss': { $exists } } })
    for (const yes of [true, 1]) expect(await found(yes)).toEqual(['measured'])
    for (const no of [false, 0]) expect(await found(no)).toEqual(['silent'])
  })
})

describeInProcess('the lines that a run printed', (open) => {
  it.each([
    ['first: -1', -1],
    ['last: -1', -1],
    ['first: 10001', 10_001],
  ])('are not asked for with %s', async (size, value) => {
    const api = await open()
    aRunThat(api.emulator, { name: 'a' })
    const query = `{ project(name: "verse", entityName: "local-team") {
      run(name: "a") { logLines(${size}) { edges { node { line } } } } } }`
    expect((await graphql(api, query)).errors).toMatchObject([
      { message: `The page has the size ${value}; allowed: 0 to 10000.` },
    ])
  })
})
