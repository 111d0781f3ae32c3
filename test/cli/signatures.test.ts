import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWebhookSink, type WebhookSinkOptions } from '../../src/index.js'
import { startReceiver } from '../support/receiver.js'
import { temporaryFolderOfSuite } from '../support/temporary-folder.js'
import { secret } from '../webhooks/sending/sender.js'
import { assertBuilt, Command } from './command.js'
import { refused, run } from './commands.js'

const body = '{"n": 1}\r\n'
const file = join(temporaryFolderOfSuite(), 'body')
writeFileSync(file, body)

describe('sink sign and sink verify', () => {
  it('agree on the bytes of a file', async () => {
    const { stdout } = await run(`sink sign ${file} --secret ${secret}`)
    expect(stdout).toMatch(/^[0-9a-f]{64}$/)
    const verified = `sink verify ${file} --secret old --secret ${secret} --signature`
    expect(await run(`${verified} ${stdout}`)).toMatchObject({
      code: 0,
      stdout: 'valid: signed with secret 2',
    })
    expect(await run(`${verified} sha256=${stdout.toUpperCase()}`)).toMatchObject({
      code: 1,
      stdout:
        'invalid: There is "sha256=" before it; expected nothing; it is written in upper-case hex; expected hex.',
    })
    const { stdout: json } = await run(`${verified} ${'0'.repeat(64)} --json`)
    expect(JSON.parse(json)).toMatchObject({
      verdict: 'invalid',
      diagnosis: { codes: ['unexplained'] },
    })
  })

  it('sign in the format that a receiver wants', async () => {
    const line = `sink sign ${file} --secret ${secret} --encoding base64 --prefix v1,`
    const { stdout } = await run(line)
    expect(stdout).toMatch(/^v1,[\w+/]{43}=$/)
    const form = `--encoding base64 --prefix v1,`
    const found = await run(`sink verify ${file} --secret ${secret} ${form} --signature ${stdout}`)
    expect(found.code).toBe(0)
  })

  it('read stdin as bytes', async () => {
    assertBuilt()
    const command = new Command(['sink', 'sign', '--secret', secret])
    command.process.stdin!.end(body)
    expect(await command.ended()).toBe(0)
    expect(command.stdout.trim()).toBe((await run(`sink sign ${file} --secret ${secret}`)).stdout)
  })

  it.each([
    ['sink sign', 'sink sign takes a --secret; none was given.'],
    ['sink verify --secret a', 'sink verify takes a --signature; none was given.'],
    ['sink verify --signature a', 'sink verify takes a --secret; none was given.'],
    [
      'sink sign --secret a --encoding hxe',
      '--encoding takes "hex" or "base64", not "hxe". Did you mean "hex"?',
    ],
    [
      'check-receiver here --secret a',
      'check-receiver takes a URL that begins with http:// or https://, not "here".',
    ],
    ['check-receiver http://127.0.0.1:1', 'check-receiver takes a --secret; none was given.'],
    [
      'check-receiver http://127.0.0.1:1 --secret ä --standard',
      'With --standard, --secret takes base64, with or without whsec_ before it.',
    ],
    ...[
      'sink sign',
      'check-receiver http://127.0.0.1:1',
      'sink',
      'trigger RUN_STATE --url http://127.0.0.1:1',
    ].map((command): [string, string] => [
      `${command} --secret v1,whsec_c2VjcmV0`,
      '--secret has a text in front of whsec_: leave it out, as in whsec_c2VjcmV0.',
    ]),
    ['sink --port x', '--port takes a whole number from 0 to 65535, not "x".'],
    ['sink here', 'Unexpected argument "here". sink takes none.'],
  ])('%s is refused', async (line, message) => {
    expect((await refused(line)).message).toBe(message)
  })
})

describe('check-receiver', () => {
  async function sinkUrl(options: WebhookSinkOptions): Promise<string> {
    const sink = createWebhookSink({ secrets: secret, ...options })
    onTestFinished(() => sink.close())
    await sink.listen()
    return sink.url
  }

  it('accepts a receiver that verifies correctly', async () => {
    const url = await sinkUrl({ strict: true, token: 'my-token' })
    const { code, stdout, stderr } = await run(
      `check-receiver ${url} --secret ${secret} --token my-token`,
    )
    expect(stdout).toBe(
      `pass    accepts a valid delivery
pass    verifies the bytes as they came, however the JSON is written
pass    copes with variables that have no value
pass    copes with fields that it does not know
pass    accepts the same delivery again
pass    refuses a delivery without a signature
pass    refuses a signature by another secret, or by an empty one
pass    refuses a body that was altered after it was signed
pass    refuses malformed signatures without an error of its own
pass    refuses a missing and a wrong access token
skipped refuses a signature that is an hour old (a signature of this kind has no time in it)
pass    accepts a valid delivery after all of these
skipped 2 more rules (not judged: the check sees answers, not what your receiver does. Pass --count-url <url>, which answers with how often it acted)
pass    answers within 10000 ms
12 passed, 0 failed, 3 skipped`,
    )
    expect(stderr.split('\n')).toEqual([
      `Sending up to 21 test deliveries to ${url}. 9 of them are valid: your receiver will act on these.`,
      expect.stringMatching(/^Payload: .*"alias":"svtrain-test"/),
      expect.stringMatching(
        /^Each has the header Svtrain-Test: true\. Use --payload <file> .* refuses a valid one, up to \d+ more follow/,
      ),
    ])
    expect(code).toBe(0)
  })

  async function failures(url: string, flags = ''): Promise<Record<string, string>> {
    const { code, stdout } = await run(`check-receiver ${url} --secret ${secret} --json${flags}`)
    const results = JSON.parse(stdout) as { id: string; result: string; detail: string }[]
    const failed = results.filter(({ result }) => result === 'fail')
    expect(code).toBe(failed.length > 0 ? 1 : 0)
    return Object.fromEntries(failed.map(({ id, detail }) => [id, detail]))
  }

  it('fails a receiver that accepts everything', async () => {
    expect(Object.keys(await failures(await sinkUrl({})))).toEqual([
      'missing-signature',
      'wrong-secret',
      'altered-body',
      'malformed-signature',
    ])
  })

  it('signs by the Standard Webhooks specification', async () => {
    const key = 'whsec_c29tZSBzZWNyZXQ='
    const { Webhook } = await import('standardwebhooks')
    const receiver = await startReceiver((response, received) => {
      try {
        const headers = received.headers as Record<string, string>
        new Webhook(key).verify(received.body.toString(), headers)
        response.end()
      } catch {
        response.writeHead(401).end()
      }
    })
    const line = `check-receiver ${receiver.url} --secret ${key}`
    expect((await run(`${line} --standard`)).code).toBe(0)
    const plainly = await run(line)
    expect(plainly.code).toBe(1)
    expect(plainly.stdout).toContain('Your receiver expects the headers of Standard Webhooks')
  })

  it('fails a receiver that crashes, and one that does not answer', async () => {
    const { url } = await startReceiver((response, { headers }) => {
      response.writeHead(headers['x-service-signature'] === undefined ? 500 : 204).end()
    })
    expect((await failures(url))['missing-signature']).toBe(
      'answered 500; expected 401 or another 4xx',
    )
    const gone = await failures('http://127.0.0.1:9')
    expect(Object.keys(gone)).toEqual(['valid'])
    expect(gone.valid).toMatch(/^no answer: /)
  })

  it('fails a receiver that accepts old signatures', async () => {
    const { Webhook } = await import('standardwebhooks')
    const key = 'whsec_c29tZSBzZWNyZXQ='
    const webhook = new Webhook(key)
    const receiver = (careful: boolean) =>
      startReceiver((response, received) => {
        const text = received.body.toString()
        const headers = received.headers as Record<string, string>
        const { 'webhook-id': id = '', 'webhook-timestamp': stamp } = headers
        try {
          if (careful) webhook.verify(text, headers)
          else expect(headers['webhook-signature']).toBe(webhook.sign(id, at(stamp), text))
          response.writeHead(200).end()
        } catch {
          response.writeHead(401).end()
        }
      })
    const at = (stamp: string | undefined): Date => new Date(Number(stamp) * 1000)
    const check = async (careful: boolean) =>
      run(`check-receiver ${(await receiver(careful)).url} --secret ${key} --standard --json`)
    expect((await check(true)).code).toBe(0)
    const { stdout } = await check(false)
    const failed = (JSON.parse(stdout) as { id: string; result: string }[]).filter(
      ({ result }) => result === 'fail',
    )
    expect(failed.map(({ id }) => id)).toEqual(['stale'])
  })
})
