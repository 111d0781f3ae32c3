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
    expect(stdout).toMatch(/^pass    refuses a missing and a wrong access token$/m)
    expect(stdout.split('\n').at(-1)).toBe('12 passed, 0 failed, 3 skipped')
    expect(stderr.split('\n')).toEqual([
      `Sending up to 21 test deliveries to ${url}. 9 of them are valid: your receiver will act on these.`,
      expect.stringMatching(/^Payload: .*"alias":"svtrain-test"/),
      expect.stringMatching(
        /^Each has the header Svtrain-Test: true\. Use --payload <file> .* refuses a valid one, up to \d+ more follow/,
      ),
    ])
    expect(code).toBe(0)
  })

  async function failures(url: string, options = `--secret ${secret}`) {
    const { code, stdout } = await run(`check-receiver ${url} ${options} --json`)
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

  const key = 'whsec_c29tZSBzZWNyZXQ='

  /** A receiver by the Standard Webhooks specification. A careless one accepts old signatures. */
  async function standardReceiver(isCareful: boolean): Promise<string> {
    const { Webhook } = await import('standardwebhooks')
    const webhook = new Webhook(key)
    const { url } = await startReceiver((response, { headers, body: sent }) => {
      const { 'webhook-id': id, 'webhook-timestamp': stamp } = headers as Record<string, string>
      const text = sent.toString()
      const due = webhook.sign(`${id}`, new Date(Number(stamp) * 1000), text)
      try {
        if (isCareful) webhook.verify(text, headers as Record<string, string>)
        else expect(headers['webhook-signature']).toBe(due)
        response.end()
      } catch {
        response.writeHead(401).end()
      }
    })
    return url
  }

  it('signs by the Standard Webhooks specification', async () => {
    const line = `check-receiver ${await standardReceiver(true)} --secret ${key}`
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
    const failed = await failures(await standardReceiver(false), `--secret ${key} --standard`)
    expect(Object.keys(failed)).toEqual(['stale'])
  })
})
