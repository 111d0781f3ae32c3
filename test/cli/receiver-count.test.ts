import { createHash, createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../src/index.js'
import { startReceiver, type Received } from '../support/receiver.js'
import { refused, run } from './commands.js'
import { listening } from './listening.js'

/** Whether a receiver acts once for each event: `check-receiver --count-url`. */

const SECRET = 's3cret'
const STANDARD = 'whsec_c29tZSBzZWNyZXQ='

/** Acts on a delivery. The length of `acted` is the count. */
type Act = (received: Received, acted: unknown[]) => Promise<void> | void

const onEverything: Act = ({ body }, acted) => void acted.push(body)

/** Acts once for all deliveries with the same key. */
function oncePer(keyOf: (received: Received) => unknown): Act {
  const seen = new Set<unknown>()
  return (received, acted) => {
    const key = keyOf(received)
    if (!seen.has(key)) acted.push(key)
    seen.add(key)
  }
}

const byHash = (): Act => oncePer(({ body }) => createHash('sha256').update(body).digest('hex'))

const byId = (): Act => oncePer(({ headers }) => headers['webhook-id'])

/** Acts once for each checkpoint that the emulator has, whatever is delivered. */
function byCheckpoint(emulator: Emulator, model: string): Act {
  const done = new Set<string>()
  return async (_received, acted) => {
    const url = `${emulator.trainingUrl}/preview/models/${model}/checkpoints?limit=100`
    const headers = { authorization: `Bearer ${emulator.apiKey}` }
    const { data } = (await (await fetch(url, { headers })).json()) as { data: { id: string }[] }
    for (const { id } of data) {
      if (!done.has(id)) acted.push(id)
      done.add(id)
    }
  }
}

/** Acts on finished jobs only. */
function onFinished(act: Act): Act {
  return (received, acted) => {
    if (received.body.includes('"run_state":"finished"')) return act(received, acted)
  }
}

interface Counting {
  url: string
  countUrl: string
  act: (act: Act) => void
}

/** A receiver that verifies signatures, and a URL that answers how often it acted. */
async function countingReceiver(): Promise<Counting> {
  const acted: unknown[] = []
  let act: Act = onEverything
  const { Webhook } = await import('standardwebhooks')
  const isGenuine = ({ headers, body }: Received): boolean => {
    const signature = createHmac('sha256', SECRET).update(body).digest('hex')
    if (headers['x-service-signature'] !== undefined) {
      return headers['x-service-signature'] === signature
    }
    try {
      new Webhook(STANDARD).verify(body.toString(), headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
  const answer = async (response: ServerResponse, received: Received): Promise<void> => {
    if (received.method === 'GET') response.end(String(acted.length))
    else if (!isGenuine(received)) response.writeHead(401).end()
    else {
      await act(received, acted)
      response.end()
    }
  }
  const { url } = await startReceiver((response, received) => void answer(response, received))
  return { url, countUrl: url.replace('/hook', '/count'), act: (given) => void (act = given) }
}

function emulatorFor(url: string): Promise<Emulator> {
  return listening({ clock: 'manual', webhooks: [{ url, secret: SECRET }] })
}

interface Result {
  id: string
  result: string
  detail?: string
  hint?: string
}

async function countsOf(line: string) {
  const { code, stdout } = await run(`check-receiver ${line} --json`)
  const results = JSON.parse(stdout) as Result[]
  const [equal, repeated] = ['equal-events', 'repeated'].map((wanted) => {
    return results.find(({ id }) => id === wanted)!
  }) as [Result, Result]
  return { code, results: [equal.result, repeated.result], equal, repeated }
}

describe('check-receiver --count-url, with a webhook-id in each delivery', () => {
  async function check(act: Act) {
    const receiver = await countingReceiver()
    receiver.act(act)
    const { url, countUrl } = receiver
    return countsOf(`${url} --secret ${STANDARD} --standard --count-url ${countUrl}`)
  }

  it('passes a receiver that acts once for each id', async () => {
    expect(await check(byId())).toMatchObject({ code: 0, results: ['pass', 'pass'] })
  })

  it('fails a receiver that hashes the body', async () => {
    const { code, results, equal } = await check(byHash())
    expect([code, ...results]).toEqual([1, 'fail', 'pass'])
    expect(equal.detail).toBe('the count rose by 1 for an event, and by 0 for the next one')
    expect(equal.hint).toMatch(/^Equal bytes do not make the same event: a hash .*docs idempotent/)
  })

  it('fails a receiver that does nothing', async () => {
    const { code, results, equal } = await check(() => {})
    expect([code, ...results]).toEqual([1, 'fail', 'skipped'])
    expect(equal.detail).toBe('the count stayed the same after an event')
  })

  it('fails a receiver that remembers nothing', async () => {
    const { code, results, repeated } = await check(onEverything)
    expect([code, ...results]).toEqual([1, 'pass', 'fail'])
    expect(repeated.detail).toBe('the count rose by 1 although nothing happened')
    expect(repeated.hint).toMatch(/^One event may have several deliveries\. .*docs idempotent/)
  })

  it('fails a receiver that acts again later', async () => {
    const act = byId()
    let before: string | undefined
    let late = 0
    const { code, repeated } = await check((received, acted) => {
      const id = received.headers['webhook-id'] as string
      if (late > 0) acted.push('late')
      late = id === before ? 1 : 0
      before = id
      return act(received, acted)
    })
    expect([code, repeated.result]).toEqual([1, 'fail'])
  })
})

describe('check-receiver --count-url --emulator, as the service signs', () => {
  async function check(act: (emulator: Emulator, model: string) => Act) {
    const receiver = await countingReceiver()
    const emulator = await emulatorFor(receiver.url)
    const { id } = await emulator.models.create({ name: 'poet' })
    receiver.act(act(emulator, id))
    const { url, countUrl } = receiver
    return countsOf(
      `${url} --secret ${SECRET} --count-url ${countUrl} --emulator ${emulator.trainingUrl} --model poet`,
    )
  }

  it.each<[does: string, act: Parameters<typeof check>[0], code: number, results: string[]]>([
    ['acts once for each checkpoint of the API', byCheckpoint, 0, ['pass', 'pass']],
    ['hashes the body', () => onFinished(byHash()), 1, ['fail', 'pass']],
    ['hashes the body of all events', () => byHash(), 1, ['fail', 'pass']],
    ['remembers nothing', () => onFinished(onEverything), 1, ['pass', 'fail']],
  ])('judges a receiver that %s', async (_does, act, code, results) => {
    expect(await check(act)).toMatchObject({ code, results })
  })

  it('does not judge by a model that has had jobs', async () => {
    const { code, results, equal } = await check((emulator) => {
      void emulator.jobs.start({ model: 'poet' })
      return byHash()
    })
    expect([code, ...results]).toEqual([0, 'skipped', 'skipped'])
    expect(equal.detail).toMatch(/^not judged: the model "poet" has had jobs, .* Pass --model /)
  })

  it('fails with the cause if a delivery of the emulator is refused', async () => {
    const { url, countUrl } = await countingReceiver()
    const emulator = await listening({ clock: 'manual', webhooks: [{ url, secret: 'another' }] })
    const { code, equal } = await countsOf(
      `${url} --secret ${SECRET} --count-url ${countUrl} --emulator ${emulator.trainingUrl}`,
    )
    expect([code, equal.result]).toEqual([1, 'fail'])
    expect(equal.detail).toMatch(/was not accepted\. It was signed with .* check-receiver tells\.$/)
  })

  it('does not judge by an emulator that sends elsewhere', async () => {
    const { url, countUrl } = await countingReceiver()
    const emulator = await listening({ clock: 'manual' })
    const { code, results, equal } = await countsOf(
      `${url} --secret ${SECRET} --count-url ${countUrl} --emulator ${emulator.trainingUrl}`,
    )
    expect([code, ...results]).toEqual([0, 'skipped', 'skipped'])
    expect(equal.detail).toMatch(/^not judged: the emulator sent nothing when a job ran\./)
  })

  it('fails before it sends anything if there is no emulator', async () => {
    const receiver = await countingReceiver()
    let deliveries = 0
    receiver.act(() => void deliveries++)
    const { url, countUrl } = receiver
    const { code, stdout, stderr } = await run(
      `check-receiver ${url} --secret ${SECRET} --count-url ${countUrl} --emulator http://127.0.0.1:1 --json`,
    )
    expect([code, stdout, deliveries]).toEqual([1, '', 0])
    expect(stderr).toMatch(/^Failed to reach an emulator at http:\/\/127\.0\.0\.1:1\b/)
  })

  it('does not judge by an emulator that ends in between', async () => {
    const { code, results, equal, repeated } = await check(
      (emulator) => async (received, acted) => {
        acted.push(received.body)
        await emulator.close()
      },
    )
    expect([code, ...results]).toEqual([0, 'skipped', 'skipped'])
    expect(equal.detail).toMatch(/^not judged: Failed to reach an emulator at /)
    expect(repeated.detail).toBe(equal.detail)
  })
})

describe('check-receiver does not judge what it cannot see', () => {
  it('without a count', async () => {
    const { url } = await countingReceiver()
    const { code, results, equal } = await countsOf(`${url} --secret ${STANDARD} --standard`)
    expect([code, ...results]).toEqual([0, 'skipped', 'skipped'])
    expect(equal.detail).toMatch(/^not judged: .* Pass --count-url <url>/)
  })

  it('without an id in the deliveries, and without an emulator', async () => {
    const { url, countUrl } = await countingReceiver()
    const line = `${url} --secret ${SECRET} --count-url ${countUrl}`
    const { code, equal } = await countsOf(line)
    expect([code, equal.result]).toEqual([0, 'skipped'])
    expect(equal.detail).toMatch(
      /^not judged: nothing in these deliveries .* Pass --emulator <url>/,
    )
  })

  it.each([
    ['many', '200 "many"'],
    ['-1', '200 "-1"'],
    ['1.5', '200 "1.5"'],
  ])('with a count of %s', async (text, shown) => {
    const { url } = await countingReceiver()
    const count = await startReceiver((response) => response.end(text))
    const line = `${url} --secret ${STANDARD} --standard --count-url ${count.url}`
    const { code, results, equal } = await countsOf(line)
    expect([code, ...results]).toEqual([1, 'fail', 'skipped'])
    expect(equal.detail).toBe(
      `--count-url takes a URL that answers 200 with a whole number, such as 3; it answered ${shown}`,
    )
  })

  it('with a count that nobody gives', async () => {
    const { url } = await countingReceiver()
    const asked = new Set<string | undefined>()
    const count = await startReceiver((response, { headers }) => {
      asked.add(headers.authorization)
      response.end('9'.repeat(16))
    })
    const from = count.url.replace('//', '//ann:s3cret@')
    const line = `${url} --secret ${STANDARD} --standard --count-url ${from}`
    const { equal } = await countsOf(line)
    expect([...asked]).toEqual([`Basic ${Buffer.from('ann:s3cret').toString('base64')}`])
    expect(equal.detail).toContain('it answered 200 "9999999999999999"')
  })

  it('with a count that breaks off', async () => {
    const { url } = await countingReceiver()
    const count = await startReceiver((response) => {
      response.writeHead(200, { 'content-length': 5 })
      response.write('1', () => response.destroy())
    })
    const line = `${url} --secret ${STANDARD} --standard --count-url ${count.url}`
    const { code, results, equal, repeated } = await countsOf(line)
    expect([code, ...results]).toEqual([1, 'fail', 'skipped'])
    expect(equal.detail).toMatch(/^--count-url gave no whole answer: ./)
    expect(repeated.detail).toBe('not judged: the count ended before it')
  })

  it.each([
    ['--emulator http://127.0.0.1:1', '--emulator needs --count-url, which was not given.'],
    [
      '--count-url http://127.0.0.1:1 --model poet',
      '--model needs --emulator, which was not given.',
    ],
  ])('with %s alone', async (options, message) => {
    const line = `check-receiver http://127.0.0.1:1 --secret a ${options}`
    expect((await refused(line)).message).toBe(message)
  })
})
