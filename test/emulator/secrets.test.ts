import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { assertBuilt, Command, start } from '../cli/command.js'
import { startReceiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { jsonHeaders } from '../support/api-client.js'

beforeAll(assertBuilt)

/** Of each kind one, so that a text that has one in it says which. */
const SECRETS = {
  apiKey: 'the-key-of-ann',
  strangersKey: 'a-key-of-nobody',
  controlToken: 'the-control-token',
  webhookSecret: 'the-secret-that-signs',
  scenarioSecret: 'the-secret-of-the-scenario',
  accessToken: 'the-access-token',
  password: 'the-password-of-a-url',
  token: 'the-token-in-a-url',
}

function secretsIn(text: string): string[] {
  const found = Object.entries(SECRETS).filter(([, secret]) => text.includes(secret))
  return found.map(([name]) => name)
}

async function scenarioFile(url: string): Promise<string> {
  const path = join(temporaryFolder(), 'mine.json')
  const hook = { name: 'hook', secret: 'SIGNING', access_token: 'TOKEN' }
  const states = { event: 'RUN_STATE', payload: { told: '${TOKEN} ${SIGNING} ${ACCESS_TOKEN}' } }
  const content = {
    name: 'mine',
    secrets: { SIGNING: SECRETS.scenarioSecret, TOKEN: SECRETS.accessToken },
    webhooks: [
      { ...hook, url },
      { ...hook, name: 'gone', url: `http://ann:${SECRETS.password}@127.0.0.1:9/` },
    ],
    automations: [
      { ...states, name: 'one', webhook: 'hook' },
      { ...states, name: 'two', webhook: 'gone' },
    ],
  }
  await writeFile(path, JSON.stringify(content))
  return path
}

it.each(['pretty', 'json'])(
  'the command prints no secrets with --log %s',
  async (log) => {
    // A receiver that sends back what it receives.
    const receiver = await startReceiver((response, { headers, body }) => {
      response.writeHead(500).end(`${headers.authorization} ${body.toString()}`)
    })
    const file = await scenarioFile(receiver.url)
    const address = `http://ann:${SECRETS.password}@${new URL(receiver.url).host}/hook`
    const args = ['--scenario', file, '--log', log, '--speed', '1000', '--sink', '--sink-port', '0']
    const given = [
      '--api-key',
      SECRETS.apiKey,
      '--control-token',
      SECRETS.controlToken,
      '--webhook',
      address,
      '--webhook-secret',
      SECRETS.webhookSecret,
    ]
    const command = start([...args, ...given])
    const [, training] = await command.says(/(http:\/\/127\.0\.0\.1:\d+)\/v1/)
    const ask = async (path: string, key: string, body?: unknown): Promise<string> => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const headers = jsonHeaders(key)
      return (await fetch(training + path, { headers, ...(body !== undefined && init) })).text()
    }
    const model = { project: 'p', name: 'm', base_model: 'example/base-8b-instruct' }
    const told = [await ask('/v1/health', SECRETS.strangersKey)]
    const created = await ask('/v1/preview/models', SECRETS.apiKey, model)
    const { id: model_id } = JSON.parse(created) as { id: string }
    await ask('/v1/preview/training-jobs', SECRETS.apiKey, { model_id, trajectory_groups: [] })
    // The client that sends the URL knows it. Nobody else must see it.
    const data = `http://ann:${SECRETS.password}@127.0.0.1:9/data?token=${SECRETS.token}`
    await ask('/v1/preview/sft-training-jobs', SECRETS.apiKey, {
      model_id,
      training_data_url: data,
    })
    told.push(await ask('/_emulator/reset', SECRETS.strangersKey, {}))
    await command.says(/failed|500/)
    told.push(await ask('/openapi.json', SECRETS.apiKey))
    command.process.kill('SIGINT')
    await command.ended()
    expect(secretsIn(command.output)).toEqual([])
    expect(secretsIn(told.join('\n'))).toEqual([])
  },
  60_000,
)

it('a sink prints no secrets, and stores only those in bodies', async () => {
  const out = join(temporaryFolder(), 'deliveries.ndjson')
  const secrets = ['--secret', SECRETS.webhookSecret, '--token', SECRETS.accessToken]
  const forward = ['--forward-to', `http://ann:${SECRETS.password}@127.0.0.1:9/?k=a`]
  const command = new Command(['sink', '--port', '0', '--to', out, ...secrets, ...forward])
  const [url = ''] = await command.says(/http:\/\/127\.0\.0\.1:\d+/)
  const headers = {
    authorization: `Bearer ${SECRETS.accessToken}`,
    'x-service-signature': SECRETS.webhookSecret,
  }
  await fetch(`${url}/hook`, { method: 'POST', headers, body: '{"event_type":"RUN_STATE"}' })
  await command.says(/hook/)
  command.process.kill('SIGINT')
  await command.ended()
  expect(secretsIn(command.output)).toEqual([])
  expect(await readFile(out, 'utf8')).not.toContain(SECRETS.accessToken)
}, 60_000)
