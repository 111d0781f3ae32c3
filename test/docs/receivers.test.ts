import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../src/cli/receiver-port.js'
import { createClient } from '../../src/compose/create-client.js'
import { createEmulator, type Emulator } from '../../src/index.js'
import { assertBuilt, Command } from '../cli/command.js'
import { blocksOf, pageOf, patternOf } from '../support/pages.js'
import { writeNamed } from './named-blocks.js'
import { linkPackages } from '../support/project.js'
import { RunningProcess } from '../support/running-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** The receivers of docs/how-to/webhooks.md, run as programs of their own. Only `deploy.js` is ours. */

const page = 'docs/how-to/webhooks.md'
const blocks = blocksOf(pageOf(page))
const SECRET = 's3cret'

const DEPLOY = `
  export const deployed = []
  export async function deploy(id) {
    await new Promise((resolve) => setImmediate(resolve))
    deployed.push(id)
  }
`

/** A server of Node for what needs another host: it passes on what the host would. */
const behindServer = (answer: string): string => `
  import { createServer } from 'node:http'
  createServer(async (incoming, outgoing) => {
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { status, text } = await answer(Buffer.concat(chunks), incoming).catch((error) => {
      return { status: 500, text: String(error) }
    })
    outgoing.writeHead(status).end(text)
  }).listen(process.env.PORT)
  ${answer}
`

const route = behindServer(`
  import { POST } from './app/hook/route.js'
  async function answer(body, { url, headers }) {
    const request = new Request('http://127.0.0.1' + url, { method: 'POST', headers, body })
    const response = await POST(request)
    return { status: response.status, text: await response.text() }
  }
`)

/** Some gateways pass on bytes and names of headers in lower case, others text and names in another case. */
const cloud = (encoding: 'base64' | 'utf8'): string =>
  behindServer(`
    import { handler } from './function.js'
    async function answer(bytes, { headers, rawHeaders }) {
      const body = bytes.length === 0 ? null : bytes.toString('${encoding}')
      const isBase64Encoded = ${encoding === 'base64'}
      const sent = Object.fromEntries(rawHeaders.flatMap((name, index) => {
        return index % 2 === 0 ? [[name.toUpperCase(), rawHeaders[index + 1]]] : []
      }))
      const event = { headers: isBase64Encoded ? headers : sent, body, isBase64Encoded }
      const { statusCode } = await handler(event)
      return { status: statusCode, text: '' }
    }
  `)

/** The programs by the names of the page's files. */
const programs: [name: string, program: string][] = [
  ['express.js', "import './express.js'"],
  ['fastify.js', "import './fastify.js'"],
  ['hono.js', "import './hono.js'"],
  ['app/hook/route.js', route],
  ['function.js, called with bytes', cloud('base64')],
  ['function.js, called with text', cloud('utf8')],
]

/** Starts a receiver of the page beside an emulator with the model `poet`, which sends to it. */
async function start(program: string, scenario: string) {
  const folder = temporaryFolder()
  await linkPackages(folder, ['express', 'fastify', 'hono', '@hono/node-server'])
  writeNamed(folder, blocks)
  const files = {
    'package.json': '{ "type": "module" }',
    'deploy.js': DEPLOY,
    'server.js': program,
    'main.js': "import './server.js'\nimport './count.js'\nconsole.log('ready')",
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const [port, countPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}/hook`
  const emulator = createEmulator({
    scenario,
    clock: 'manual',
    webhooks: [{ url, secret: SECRET }],
  })
  onTestFinished(() => emulator.close())
  await emulator.listen({ port: 0, inferencePort: 0 })
  const { id } = await emulator.models.create({ name: 'poet' })
  const receiver = new RunningProcess(process.execPath, ['main.js'], {
    cwd: folder,
    env: {
      SVTRAIN_BASE_URL: emulator.trainingUrl,
      SVTRAIN_API_KEY: emulator.apiKey,
      MODEL_ID: id,
      WEBHOOK_SECRET: SECRET,
      PORT: String(port),
      COUNT_PORT: String(countPort),
    },
  })
  await receiver.says(/^ready$/m)
  const countUrl = `http://127.0.0.1:${countPort}`
  const count = async (): Promise<number> => Number(await (await fetch(countUrl)).text())
  return { emulator, url, countUrl, count }
}

async function trained(emulator: Emulator): Promise<void> {
  await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
}

describe('the receivers of docs/how-to/webhooks.md', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it.each(programs)('%s acts once for each checkpoint', async (_name, program) => {
    const { emulator, count } = await start(program, 'two-jobs')
    // The first job fails, so it has no checkpoint.
    await trained(emulator)
    expect(await count()).toBe(0)
    await trained(emulator)
    expect(await count()).toBe(1)
    const { deliveries } = emulator.webhooks
    expect(deliveries).toHaveLength(7)
    expect(new Set(deliveries.map(({ text }) => text)).size).toBe(6)
    expect(deliveries.map(({ status }) => status)).toEqual(Array(7).fill('delivered'))

    await trained(emulator)
    expect(await count()).toBe(2)
    for (const { id } of emulator.webhooks.deliveries) await emulator.webhooks.resend(id)
    expect(await count()).toBe(2)
  })

  it.each(programs)('%s passes check-receiver, as the page shows', async (_name, program) => {
    const { emulator, url, countUrl } = await start(program, 'happy-path')
    const block = blocks.find(({ code }) => code.includes('--count-url'))!
    const here = block.code
      .replace('http://127.0.0.1:8080/hook', url)
      .replace('http://127.0.0.1:8081', countUrl)
      .replace('http://127.0.0.1:4600', new URL(emulator.trainingUrl).origin)
    const check = new Command(here.trim().split(' ').slice(2))
    expect({ code: await check.ended(), printed: check.output }).toMatchObject({ code: 0 })
    expect(check.stdout).toMatch(patternOf(block.shown!))
    expect(check.stdout).toMatch(/^13 passed, 0 failed, 2 skipped$/m)
    const { jobs } = createClient({ url: emulator.trainingUrl })
    expect(await jobs.list({ model: 'poet' })).toHaveLength(3)
  })
})
