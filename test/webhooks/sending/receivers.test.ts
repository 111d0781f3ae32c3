import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Webhook } from 'standardwebhooks'
import {
  createEmulator,
  createWebhookSink,
  defaultWebhooks,
  type Emulator,
} from '../../../src/index.js'
import { sign, verify } from '../../../src/webhooks.js'
import { has } from '../../support/programs.js'
import { SECRET, startReceiver } from '../../support/receiver.js'
import { served, type Service } from '../../support/served.js'
import { submit } from '../../support/trainer.js'
import { withHook } from './world.js'

/** Bodies that a careless receiver would decode and encode again. */
const awkward = 'ünïcode "quoted" \\ \u2028 \u0000 <&>'

async function listening(service: Service): Promise<{ url: string }> {
  return { url: `${await served(service)}/` }
}

/** The statuses with which a receiver answers two deliveries, one of them signed by a stranger. */
async function statuses(receiver: { url: string }, webhook = {}): Promise<unknown> {
  const emulator: Emulator = withHook(
    receiver,
    { adversary: [{ do: 'wrong_secret', deliveries: 2 }], ...webhook },
    {
      automations: [
        { name: 'it', webhook: 'hook', event: 'ADD_ARTIFACT_TAG', payload: { tag: '${tag}' } },
      ],
    },
  )
  for (let count = 0; count < 2; count++)
    await emulator.trigger('ADD_ARTIFACT_TAG', { tag: awkward })
  await emulator.webhooks.idle()
  return emulator.webhooks.deliveries.map(({ attempts: [first] }) => first?.status ?? first?.error)
}

describe('a receiver that verifies deliveries', () => {
  it('can expect another header, a prefix, or base64', async () => {
    const wants = (name: string, want: (hmac: string) => string, encoding: 'hex' | 'base64') => {
      return listening((request, response) => {
        const hmac = createHmac('sha256', SECRET)
        request.on('data', (chunk: Buffer) => hmac.update(chunk))
        request.on('end', () => {
          const fits = request.headers[name] === want(hmac.digest(encoding))
          response.writeHead(fits ? 200 : 401).end()
        })
      })
    }
    const prefixed = await wants('x-hub-signature-256', (hmac) => `sha256=${hmac}`, 'hex')
    const signature = { header: 'X-Hub-Signature-256', prefix: 'sha256=' }
    expect(await statuses(prefixed, { signature })).toEqual([200, 401])
    const binary = await wants('x-service-signature', (hmac) => hmac, 'base64')
    expect(await statuses(binary, { signature: { encoding: 'base64' } })).toEqual([200, 401])
  })

  it.each([SECRET, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])(
    'can expect Standard Webhooks, with the secret %s',
    async (secret) => {
      const verifier = secret.startsWith('whsec_')
        ? new Webhook(secret)
        : new Webhook(secret, { format: 'raw' })
      const receiver = await startReceiver((response, { body, headers }) => {
        const read = (): unknown =>
          verifier.verify(body.toString(), headers as Record<string, string>)
        expect(read).not.toThrow()
        response.end(JSON.stringify(read()))
      })
      const emulator = withHook(
        receiver,
        { signature: { standard: true } },
        { secrets: { SECRET: secret } },
      )
      await submit(emulator)
      await emulator.settle()
      const [first] = emulator.webhooks.deliveries
      expect(first!.attempts[0]).toMatchObject({ status: 200, answer: '{"state":"running"}' })
      expect(first!.attempts[0]!.headers['webhook-id']).toBe(first!.id)
    },
  )

  it.each([
    ['v1,whsec_c2VjcmV0', 'has a text in front of whsec_: leave it out'],
    ['"whsec_c2VjcmV0"', 'has a text in front of whsec_: leave it out'],
    ['whsec_not base64!', 'begins with whsec_, but what follows is not base64'],
    ['whsec_c2VjcmV', 'begins with whsec_, but what follows is not base64'],
  ])(
    'cannot verify with the secret %s, so it is refused wherever a secret is given',
    async (secret, why) => {
      const url = 'http://127.0.0.1:1/'
      const emulator = withHook({ url })
      const given: (() => unknown)[] = [
        () => withHook({ url }, {}, { secrets: { SECRET: secret } }),
        () => createEmulator({ webhooks: [{ url, secret }] }),
        () => createWebhookSink({ secrets: secret }),
        () => createWebhookSink({ secrets: { old: secret } }),
        () => emulator.webhooks.add({ url, secret }),
        () => emulator.webhooks.add({ secrets: { OTHER: secret } }),
        () => emulator.webhooks.setSecret('SECRET', secret),
        () => defaultWebhooks({ url, secret }),
      ]
      for (const give of given) {
        expect(give).toThrow(why)
        expect(give).not.toThrow(secret)
      }
      await expect(sign('{}', secret)).rejects.toThrow(why)
      await expect(verify({ body: '{}', headers: {} }, { secrets: [secret] })).rejects.toThrow(why)
    },
  )

  it.skipIf(!has('python3'))('can be written in Python', async () => {
    const program = `
import hashlib, hmac, http.server, sys
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        wanted = hmac.new(sys.argv[1].encode(), body, hashlib.sha256).hexdigest()
        fits = hmac.compare_digest(wanted, self.headers["X-Service-Signature"])
        self.send_response(200 if fits else 401)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
`
    const receiver = spawn('python3', ['-c', program, SECRET])
    onTestFinished(() => void receiver.kill())
    const [port] = (
      await createInterface(receiver.stdout)[Symbol.asyncIterator]().next()
    ).value!.split(' ')
    expect(await statuses({ url: `http://127.0.0.1:${port}/` })).toEqual([200, 401])
  })
})
