import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { basic, besideTraining, graphql, type GraphqlAnswer } from '../../../support/graphql.js'
import { aRunThat } from '../../../support/platform-records.js'
import { describeInProcess, describeTransports, type Api } from '../../../support/transports.js'

const OPEN = `mutation UpsertBucket($name: String) {
  upsertBucket(input: { entityName: "local-team", modelName: "verse", name: $name }) {
    bucket { id name state project { name entity { name } } }
    inserted
  }
}`

/** Sends a body as it is. */
async function send(
  api: Api,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const response = await api.fetch(besideTraining(api, '/graphql'), {
    method: 'POST',
    headers: { authorization: basic('any-key'), ...headers },
    body,
  })
  const { data, errors } = (await response.json()) as Omit<GraphqlAnswer, 'status'>
  return { status: response.status, data, message: errors?.[0]?.message }
}

describeTransports('GraphQL', (open) => {
  it('tells who calls, with a key as a password or as a bearer', async () => {
    const api = await open()
    const query = '{ viewer { entity username teams { edges { node { name } } } } }'
    const viewer = {
      entity: 'local-team',
      username: 'local-user',
      teams: { edges: [{ node: { name: 'local-team' } }] },
    }
    for (const authorization of [basic('any-key'), 'Bearer any-key']) {
      expect(await graphql(api, query, {}, { authorization })).toEqual({
        status: 200,
        data: { viewer },
      })
    }
  })

  it('asks for a key', async () => {
    const answer = await graphql(await open(), '{ viewer { id } }', {}, { authorization: '' })
    expect(answer).toMatchObject({ status: 401, errors: [{ message: /^The call has no API key/ }] })
  })

  it('opens a run, and finds it again', async () => {
    const api = await open()
    const first = await graphql(api, OPEN, { name: 'poem' })
    expect(first).toMatchObject({
      status: 200,
      data: {
        upsertBucket: {
          inserted: true,
          bucket: {
            name: 'poem',
            state: 'running',
            project: { name: 'verse', entity: { name: 'local-team' } },
          },
        },
      },
    })
    expect((await graphql(api, OPEN, { name: 'poem' })).data.upsertBucket.inserted).toBe(false)
    const [entry] = api.emulator.journal.entries
    expect(entry).toMatchObject({
      operation: 'platformGraphql.UpsertBucket',
      effects: ['created the project local-team/verse', 'created the run local-team/verse/poem'],
    })
  })

  it('drops the telemetry of the SDK', async () => {
    const api = await open()
    const response = await api.fetch(besideTraining(api, '/sdk/otel/v1/metrics'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      body: new Uint8Array([10, 3, 1, 2, 3]),
    })
    expect([response.status, await response.json()]).toEqual([200, {}])
  })

  it('reads compressed bodies', async () => {
    const api = await open()
    const query = 'query Viewer { viewer { entity } }'
    const body = gzipSync(JSON.stringify({ query }))
    expect(await send(api, body, { 'content-encoding': 'gzip' })).toMatchObject({
      data: { viewer: { entity: 'local-team' } },
    })
    expect(api.emulator.journal.entries.at(-1)).toMatchObject({ body: { query } })
  })

  it('names the place of an error, and changes nothing', async () => {
    const api = await open()
    const answer = await graphql(api, OPEN, { name: '../poem' })
    expect(answer).toMatchObject({
      status: 200,
      data: null,
      errors: [
        {
          path: ['upsertBucket'],
          message: expect.stringContaining('The name of the run is "../poem", which contains "/"'),
        },
      ],
    })
    expect(api.emulator.journal.entries.at(-1)).toMatchObject({
      detail: expect.stringContaining('The name of the run is'),
    })
    const query = '{ project(name: "verse", entityName: "local-team") { id } }'
    expect((await graphql(api, query)).data).toEqual({ project: null })
  })

  it.each([
    'fragment F on User { id } query Named { viewer { ...F } }',
    '# query Other { a }\rquery Named { viewer { id } }',
    'fragment query on User { name(a: "} query Other {") } mutation Named { a }',
    ' , query Named { viewer { id } } query Other { viewer { id } }',
  ])('names a call by its first operation: %j', async (query) => {
    const api = await open()
    await graphql(api, query)
    const { entries } = api.emulator.journal
    expect(entries.at(-1)).toMatchObject({ operation: 'platformGraphql.Named' })
  })

  it('takes faults by the name of the operation', async () => {
    const api = await open({
      scenario: {
        name: 'busy',
        faults: [
          {
            fault: 'status',
            status: 503,
            match: { operation: 'platformGraphql.UpsertBucket' },
            calls: 1,
          },
        ],
      },
    })
    expect((await graphql(api, 'query Viewer { viewer { id } }')).status).toBe(200)
    expect(await graphql(api, OPEN)).toMatchObject({
      status: 503,
      errors: [{ message: 'Service Unavailable' }],
    })
    expect((await graphql(api, OPEN)).status).toBe(200)
  })

  it('applies a fault of the whole operation to each query', async () => {
    const fault = { fault: 'drop', match: { operation: 'platformGraphql' } } as const
    const api = await open({ scenario: { name: 'lost', faults: [fault] } })
    await expect(graphql(api, 'query Viewer { viewer { id } }')).rejects.toThrow(TypeError)
  })

  it('answers a query that it cannot read with the place of the mistake', async () => {
    const api = await open()
    expect(await graphql(api, '{ viewer { nam } }')).toMatchObject({
      status: 200,
      errors: [
        {
          message: 'Cannot query field "nam" on type "User". Did you mean "name"?',
          locations: [{ line: 1, column: 12 }],
        },
      ],
    })
    expect(await graphql(api, '{ viewer ')).toMatchObject({
      status: 200,
      errors: [{ message: expect.stringContaining('Syntax Error') }],
    })
  })

  it.each([
    ['{"query": 5}', 'The body has no query'],
    ['{', 'The body has no query'],
    ['[{"query": "{ viewer { id } }"}]', 'The body is a list of 1 queries.'],
    ['{"query": "{ viewer { id } }", "variables": [1]}', 'The variables are not a JSON object.'],
  ])('refuses the body %s', async (body, message) => {
    const refused = { status: 400, message: expect.stringContaining(message) }
    expect(await send(await open(), body)).toMatchObject(refused)
  })

  it('takes an empty encoding for none', async () => {
    const body = JSON.stringify({ query: '{ viewer { id } }' })
    const headers = { 'content-type': 'application/json', 'content-encoding': '' }
    expect((await send(await open(), body, headers)).status).toBe(200)
  })

  it.each([
    ['gzip', 400, 'The body is not in the format gzip, which its content encoding says.'],
    ['br', 415, 'The content encoding is "br"; allowed: gzip, or none.'],
  ])('refuses a body that is not compressed as it says: %s', async (encoding, status, message) => {
    const answer = await send(await open(), 'plain', { 'content-encoding': encoding })
    expect(answer).toMatchObject({ status, message })
  })

  it('keeps what belongs to other entities out of sight', async () => {
    const keys = {
      'key-of-ada': { user: 'ada', entity: 'team-a' },
      'key-of-bob': { user: 'bob', entity: 'team-b' },
    }
    const auth = { keys, separateEntities: true }
    const api = await open({ scenario: { name: 'apart', auth } })
    const ada = { authorization: basic('key-of-ada') }
    const bob = { authorization: basic('key-of-bob') }
    const mutation = `mutation { upsertBucket(input: { modelName: "verse", name: "poem" }) {
      bucket { id project { entity { name } } }
    } }`
    const { bucket } = (await graphql(api, mutation, {}, ada)).data.upsertBucket
    expect(bucket.project.entity.name).toBe('team-a')
    const read = '{ project(name: "verse", entityName: "team-a") { run(name: "poem") { name } } }'
    expect((await graphql(api, read, {}, ada)).data.project.run).toEqual({ name: 'poem' })
    expect((await graphql(api, read, {}, bob)).data.project).toBeNull()
    const change = `mutation { upsertBucket(input: { id: "${bucket.id}", notes: "mine" }) { inserted } }`
    expect((await graphql(api, change, {}, bob)).errors?.[0]?.message).toBe(
      `There is no run with the id "${bucket.id}".`,
    )
    expect(
      (await graphql(api, '{ viewer { id } }', {}, { authorization: basic('x') })).status,
    ).toBe(401)
  })
})

describeInProcess('a compressed body', (open) => {
  it('is refused if it gets too large', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(65 * 1024 * 1024)))
    const answer = await send(await open(), bomb, { 'content-encoding': 'gzip' })
    const message = expect.stringContaining('67108864 bytes')
    expect(answer).toMatchObject({ status: 413, message })
  })
})

describeInProcess('a query', (open) => {
  const chain = (last: string) =>
    Array.from({ length: 40 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)
      .concat('query { ...f0 }', last)
      .join('\n')

  it.each([
    ['fields', chain(''), 2 ** 41 - 1],
    ['fields', chain('fragment f40 on Query { viewer { id } }'), 2 ** 42 - 1],
    ['aliases', `{ ${Array.from({ length: 301 }, (_, i) => `a${i}: __typename`).join(' ')} }`, 301],
    ['depth', `{ viewer ${'{ teams '.repeat(26)} { id } ${'}'.repeat(26)} }`, 27],
    ['cost', '{ viewer { teams(first: 1000) { edges(first: 1001) { cursor } } } }', 1_002_002],
  ])('with too many %s is refused before it is executed', async (bound, query, value) => {
    const answer = await graphql(await open(), query)
    expect(answer.errors).toMatchObject([
      {
        message: expect.stringContaining(
          `The query exceeds the limit for ${bound}: it has ${value}, and at most `,
        ),
      },
    ])
  })

  it('with lists in lists without end is refused when it has read too many', async () => {
    const api = await open()
    for (let made = 0; made < 30; made++) aRunThat(api.emulator, { name: `run-${made}` })
    const within = (levels: number): string => {
      return levels === 0 ? 'id' : `project { runs { edges { node { ${within(levels - 1)} } } } }`
    }
    const query = `{ project(name: "verse", entityName: "local-team") { run(name: "run-0") { ${within(5)} } } }`
    const answer = await graphql(api, query)
    expect(answer.errors![0]!.message).toMatch(
      /^The query exceeds the limit for reading: it has \d+, and at most 10000000 is allowed/,
    )
  })

  it('uses a fragment as often as it likes within its bounds', async () => {
    const query =
      'query { viewer { ...a ...a } } fragment a on User { ...b id } fragment b on User { name }'
    expect(await graphql(await open(), query)).toEqual({
      status: 200,
      data: { viewer: { id: expect.any(String), name: 'local-user' } },
    })
  })

  it.each([
    ['patterns', { 'config.t': { $regex: '(a|b)*x' } }],
    ['texts', { 'config.t': { $contains: 'x' } }],
    ['lists', { 'config.t': { $in: Array.from({ length: 2000 }, (_, i) => [i]) } }],
    [
      'patterns to make',
      { $or: Array.from({ length: 190 }, (_, i) => ({ name: { $regex: `x{${i}}y{99}` } })) },
    ],
  ])('whose filters read too many %s is refused', async (_what, filter) => {
    const api = await open()
    const config = JSON.stringify({
      t: { value: Array.from({ length: 2000 }, () => 'a'.repeat(9)) },
    })
    for (const name of ['one', 'two', 'three']) {
      await graphql(api, OPEN, { name })
      const change = `mutation($config: JSONString) { upsertBucket(input: { entityName: "local-team", modelName: "verse", name: "${name}", config: $config }) { inserted } }`
      await graphql(api, change, { config })
    }
    const lists = Array.from({ length: 200 }, (_, i) => `a${i}: runs(filters: $f) { totalCount }`)
    const query = `query($f: JSONString) { project(name: "verse", entityName: "local-team") { ${lists.join(' ')} } }`
    const { data, errors } = await graphql(api, query, { f: JSON.stringify(filter) })
    expect(errors![0]!.message).toMatch(
      /^The query exceeds the limit for reading: it has \d+, and at most 10000000 is allowed/,
    )
    expect(data.project).toBeNull()
    const { data: alone } = await graphql(api, query.replace(/ a1:.*totalCount \}/, ''), {
      f: JSON.stringify({ name: { $regex: '^t' } }),
    })
    expect(alone.project.a0).toEqual({ totalCount: 2 })
  })

  it('has filters of a bounded depth', async () => {
    const query =
      'query($f: JSONString) { project(name: "verse", entityName: "local-team") { runs(filters: $f) { totalCount } } }'
    const api = await open()
    await graphql(api, OPEN, { name: 'one' })
    const deep = `${'{"$not":'.repeat(10_000)}{}${'}'.repeat(10_000)}`
    expect((await graphql(api, query, { f: deep })).errors).toMatchObject([
      { message: 'The filter has 10001 levels; at most 200 are allowed.' },
    ])
  })
})
