import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/index.js'
import { exitsOf } from './exits.js'
import { openEmulator } from './open-emulator.js'

/** Letters that need no escape in a header, in a URL or in JSON, and letters that do. */
const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const IN_HEADERS = `${PLAIN}!#$%&'()*+./:<>?@[\\]^\`{|}~`
const ANY = `${IN_HEADERS}"éß漢😀`

const LONGEST_SECRET = 100_000
/** Most are shorter: each exit reads all calls. */
const LONGEST_USUAL = 300

/** A secret of at least 8 characters; short ones are drawn as often as long ones. */
function secretOf(letters: string, longest: number): fc.Arbitrary<string> {
  const units = Array.from(letters)
  const length = fc.double({ min: 3, max: Math.log2(longest), noNaN: true }).map((power) => Math.floor(2 ** power)) // oxfmt-ignore
  return fc.tuple(length, fc.integer({ min: 1, max: 2 ** 30 })).map(([count, seed]) => {
    let state = seed
    let text = ''
    while (text.length < count) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      text += units[(state >>> 8) % units.length]!
    }
    return text
  })
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

interface Call {
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

const json = (body: unknown): Call => ({ method: 'POST', body: JSON.stringify(body) })
const header = (name: string) => (secret: string) => ({ headers: { [name]: secret } })
const query = (name: string) => (secret: string) => ({
  path: `/v1/health?limit=1&${name}=${encodeURIComponent(secret)}&order=asc`,
})

/** Where a client can put a secret, so that its name says that it is one. */
const places: Record<string, [letters: string, call: (secret: string) => Call]> = {
  ...Object.fromEntries(
    words(`
       x-api-key apikey api_key x-apikey x-goog-api-key x-auth x-secretkey
       ocp-apim-subscription-key x-amz-security-token accesstoken x-auth-token x-passwd
       x-credentials x-session-id x-jwt-assertion proxy-authorization
    `).map((name) => [`header ${name}`, [IN_HEADERS, header(name)]]),
  ),
  ...Object.fromEntries(
    words(`
       api_key key access_token token apikey password secret sig code X-Amz-Signature
       X-Amz-Credential client_secret api-key auth id_token refresh_token jwt pwd passphrase
       credentials private_key session subscription-key client_assertion AWSAccessKeyId
       access-token api%5Fkey
    `).map((name) => [`query ${name}`, [ANY, query(name)]]),
  ),
  ...Object.fromEntries(
    ['api_key', 'apiKey', 'password', 'token', 'WANDB_API_KEY', 'client_secret', 'private_key'].map(
      (name) => [
        `field ${name}`,
        [ANY, (secret: string) => json({ name: 'poet', [name]: secret, deep: [{ [name]: secret }] })],
      ],
    ),
  ),
  'bearer': [IN_HEADERS, (secret) => ({ headers: { authorization: `Bearer ${secret}` } })],
  'basic': [IN_HEADERS, (secret) => ({ headers: { authorization: `Basic ${btoa(`ann:${secret}`)}` } })],
  'cookie': [PLAIN, (secret) => ({ headers: { cookie: `a=b; sid=${secret}` } })],
  'user of a referer': [PLAIN, (secret) => ({ headers: { referer: `http://ann:${secret}@h/` } })],
  'query of a referer': [PLAIN, (secret) => ({ headers: { referer: `http://h/?token=${secret}` } })],
  'JSON in JSON': [ANY, (secret) => json({ arguments: JSON.stringify({ api_key: secret }) })],
  'JSON without its end': [ANY, (secret) => ({ method: 'POST', body: `{"api_key": ${JSON.stringify(secret).slice(0, -1)}` })],
  'a list of credentials': [ANY, (secret) => json({ credentials: { deep: [secret] } })],
  'a pair of a header': [ANY, (secret) => json({ headers: [['Authorization', secret]] })],
  'a signed address': [PLAIN, (secret) => json({ training_data_url: `s3://bucket/x?X-Amz-Signature=${secret}` })],
  'an address with a password': [PLAIN, (secret) => json({ training_data_url: `https://ann:${secret}@h/x` })],
  'a form': [PLAIN, (secret) => ({ method: 'POST', body: `?a=b&password=${secret}` })],
  'a part of a form': [PLAIN, (secret) => ({ method: 'POST', body: `--x\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${secret}\r\n--x--` })],
} // oxfmt-ignore

/** Where a client can repeat its key: nothing says that these texts are secrets. */
const echoes: Record<string, (key: string) => Call> = {
  'a path': (key) => ({ path: `/v1/preview/models/${encodeURIComponent(key)}` }),
  'a parameter': (key) => ({ path: `/v1/health?name=${encodeURIComponent(key)}` }),
  'a header': (key) => ({ headers: { 'x-note': `for ${key}.` } }),
  'a field': (key) => json({ note: key }),
  'a name of a field': (key) => json({ [key]: 1 }),
  'JSON in JSON': (key) => json({ a: JSON.stringify({ b: JSON.stringify({ note: key }) }) }),
  'base64': (key) => json({ note: Buffer.from(`some ${key} text`).toString('base64') }),
  'an address': (key) => json({ note: `http://h/${encodeURIComponent(key)}/x` }),
  'a name that is refused': (key) => json({ name: { nested: key }, base_model: key, project: 5 }),
} // oxfmt-ignore

/** Texts that are no secrets, although some of their words are near to names of secrets. */
const ordinary = [
  'Write a poem about the sea, the key to my heart, and a secret garden. Use 50 tokens.',
  '{"max_tokens": 50, "token_ids": [1, 2], "tokenizer": "t", "monkey": "m", "code": "model_not_found"}',
  '{"token": "left", "logprob": -0.25, "bytes": [1], "top_logprobs": []}',
  '{"logprob": -0.25, "bytes": [108, 101], "token": "left"}',
  '{"eos_token": "</s>", "pad_token": "<pad>", "idempotency_key": "batch-1", "next_page_token": "p2"}',
  '{"sort_key": "loss", "key": "train/loss", "session": "2026-11-23", "author": "ann", "design": "d"}',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by ann@example.com, see http://h/x?page=2&order=asc',
  'Traceback: KeyError: "signature_of_call"; def token(key): return key + "=" + value',
  String.raw`C:\new\table\u0041 100%25 %zz %E9 "quoted \"text\"" \\server\share <b>&amp;</b>`,
  '漢字 😀 é %C3%A9 a+b=c? yes&no [not shown] [redacted 3 characters]',
]

async function send(emulator: Emulator, { path = '/v1/preview/models', ...init }: Call, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers }
  for (const base of [emulator.trainingUrl, emulator.inferenceUrl]) {
    await emulator.fetch(new URL(path, base), { ...init, headers })
  }
} // oxfmt-ignore

/** Everything that shows what happened, by the exit that shows it. */
async function shownBy(emulator: Emulator): Promise<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const [name, exit] of exitsOf(emulator)) shown[name] = await exit()
  return shown
}

/** Parts of a secret that no other text has by chance: its beginning, its middle and its end. */
function partsOf(secret: string): string[] {
  const characters = Array.from(secret)
  const length = Math.min(characters.length, 12)
  const starts = [0, Math.floor((characters.length - length) / 2), characters.length - length]
  return starts.map((start) => characters.slice(start, start + length).join(''))
}

function spellingsOf(text: string): string[] {
  const inJson = JSON.stringify(text).slice(1, -1)
  return [text, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(text)]
}

interface Sent {
  readonly place: string
  readonly secret: string
  /** The calls that bring it, each with a key. */
  readonly calls: readonly (readonly [call: Call, key: string])[]
}

/** Makes all calls in one world. Returns which output shows which of the secrets. */
async function leaksOf(sent: readonly Sent[]): Promise<string[]> {
  const emulator = createEmulator({ clock: 'manual' })
  try {
    for (const { calls } of sent) {
      for (const [call, key] of calls) await send(emulator, call, key)
    }
    const shown = Object.entries(await shownBy(emulator))
    return sent.flatMap(({ place, secret }) => {
      const found = partsOf(secret).flatMap(spellingsOf)
      const outputs = shown.filter(([, text]) => found.some((each) => text.includes(each)))
      return outputs.map(([name]) => `${name} shows the secret in: ${place}`)
    })
  } finally {
    await emulator.close()
  }
}

/** The letters of a secret, and the calls that bring it. */
type Place = readonly [letters: string, calls: (secret: string) => Sent['calls']]

function placesNamed(pattern: RegExp): [name: string, place: Place][] {
  return Object.entries(places).flatMap(([name, [letters, call]]) => {
    const calls: Place[1] = (secret) => [[call(secret), 'the-key-of-this-test']]
    return pattern.test(name) ? [[name, [letters, calls]]] : []
  })
}

const repeated = Object.entries(echoes).map(([place, call]): [string, Place] => {
  const calls: Place[1] = (key) => [
    [{}, key],
    [call(key), key],
  ]
  return [`a key in ${place}`, [IN_HEADERS, calls]]
})

it.each([
  ['a secret that a client puts in a header', placesNamed(/^header /)],
  ['a secret that a client puts in a query', placesNamed(/^query /)],
  ['a secret that a client puts elsewhere', placesNamed(/^(?!header |query )/)],
  ['a key that a client repeats', repeated],
])('no output shows %s', async (_what, all) => {
  expect(all.length).toBeGreaterThan(5)
  const sentIn = ([place, [letters, calls]]: (typeof all)[number], longest: number) => {
    return secretOf(letters, longest).map((secret): Sent => ({
      place,
      secret,
      calls: calls(secret),
    }))
  }
  // A run has a secret in each place, and in one of them a long one.
  const sent = fc.nat(all.length - 1).chain((long) => {
    return fc.tuple(
      ...all.map((each, at) => sentIn(each, at === long ? LONGEST_SECRET : LONGEST_USUAL)),
    )
  })
  await fc.assert(
    fc.asyncProperty(sent, async (drawn) => {
      expect(await leaksOf(drawn)).toEqual([])
    }),
    // A smaller run says no more.
    { numRuns: 3, endOnFailure: true },
  )
})

/** Names of fields that are near to names of secrets. */
const ordinaryNames = words(`
  max_tokens token_ids tokenizer monkey code sort_key session author design keyboard secretary
  next_page_token idempotency_key hash url prompt completion_tokens compass authored turkey
`)

it('shows any ordinary text as it is', async () => {
  const word = fc.oneof(
    fc.constantFrom(...ordinaryNames, 'secret', 'token', 'password', 'key', 'Bearer', 'a', 'the'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((all) => all.join(' '))
  const object = fc.dictionary(fc.constantFrom(...ordinaryNames), fc.oneof(sentence, fc.integer()))
  const text = fc.oneof(
    sentence,
    object.map((value) => JSON.stringify(value)),
    object.map((value) => JSON.stringify({ arguments: JSON.stringify(value) })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 80, maxLength: 80 }), async (texts) => {
      const emulator = createEmulator({ clock: 'manual' })
      for (const each of texts) {
        const path = `/v1/health?note=${encodeURIComponent(each)}&page=2`
        await send(emulator, { ...json({ note: each }), path }, 'the-key-of-this-test')
      }
      const { log } = await emulator.har()
      await emulator.close()
      const shown = log.entries.map(({ request }) => ({
        body: request.postData?.text,
        query: request.queryString[0]?.value,
      }))
      // Each call goes to both addresses.
      const wanted = texts.flatMap((each) => {
        const expected = { body: JSON.stringify({ note: each }), query: each }
        return [expected, expected]
      })
      expect(shown).toEqual(wanted)
    }),
    { numRuns: 3 },
  )
})

it.each(ordinary)('shows an ordinary text as it is: %s', async (text) => {
  const emulator = openEmulator()
  const body = JSON.stringify({ model: 'm', note: text, deep: [{ arguments: text }] })
  await send(
    emulator,
    { path: '/v1/chat/completions', method: 'POST', body },
    'the-key-of-this-test',
  )
  await send(emulator, { method: 'POST', body: text, headers: { 'x-note': 'page=2; q=1' } }, 'the-key-of-this-test') // oxfmt-ignore
  await send(emulator, { path: `/v1/health?q=${encodeURIComponent(text)}&page=2` }, 'the-key-of-this-test') // oxfmt-ignore
  const { log } = await emulator.har()
  expect(log.entries.map(({ request }) => request.postData?.text)).toEqual([
    body,
    body,
    text,
    text,
    undefined,
    undefined,
  ])
  expect(log.entries.at(-1)!.request.queryString).toEqual([
    { name: 'q', value: text },
    { name: 'page', value: '2' },
  ])
  const noted = log.entries[2]!.request.headers.find(({ name }) => name === 'x-note')
  expect(noted?.value).toBe('page=2; q=1')
})

it('shows no secret that a thousand newer ones have replaced in memory', async () => {
  const emulator = openEmulator()
  const first = 'the-key-that-came-first'
  await send(emulator, json({ note: first }), first)
  for (let index = 0; index < 1200; index++) await send(emulator, {}, `another-key-${index}`)
  const shown = [await emulator.report(), JSON.stringify(await emulator.har()), emulator.trace()]
  expect(shown.filter((text) => text.includes(first))).toEqual([])
})

it('shows no key that loses its last slash by a redirect', async () => {
  const key = 'a-key-that-ends-with/'
  const call = { path: `/v1/preview/models/${encodeURIComponent(key)}` }
  const calls: Sent['calls'] = [
    [{}, key],
    [call, key],
  ]
  expect(await leaksOf([{ place: 'a path', secret: key, calls }])).toEqual([])
})

it('answers at once after 1,500 keys of 12,000 characters', async () => {
  const emulator = openEmulator()
  const keyOf = (index: number): string => String(index).padStart(6, '0') + 'k'.repeat(11_994)
  for (let index = 0; index < 1500; index++) await send(emulator, { path: '/v1/health' }, keyOf(index))
  const page = await emulator.report()
  const har = JSON.stringify(await emulator.har())
  expect(page + har).not.toContain('kkkk')
  expect(har).toContain('[not shown]')
}) // oxfmt-ignore

it('shows a key that is the name of a model only as the name of that model', async () => {
  const emulator = openEmulator()
  const key = 'a-key-that-is-a-name'
  const model = { project: 'demo', name: key, base_model: 'example/base-8b-instruct' }
  await send(emulator, json(model), key)
  const shown = await shownBy(emulator)
  const { models } = JSON.parse(shown['/_emulator/models']!) as { models: { name: string }[] }
  expect(models.map(({ name }) => name)).toContain(key)
  const detail = JSON.parse(shown['/_emulator/requests/1']!) as {
    model: string
    request: { headers: Record<string, string>; body: string }
  }
  expect(detail.model).toBe(key)
  expect(detail.request.headers['authorization']).toBe('Bearer [not shown]')
  expect(detail.request.body).not.toContain(key)
})
