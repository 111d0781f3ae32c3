import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openWebhookSink } from '../../src/compose/create-sink.js'
import { createFetch } from '../../src/emulator/adapters/fetch.js'
import { createEmulator } from '../../src/index.js'
import { run, workIn } from '../cli/commands.js'
import { serveInProcess } from '../cli/in-process.js'
import { apiClient } from '../support/api-client.js'
import { pageOf } from '../support/pages.js'
import { startReceiver } from '../support/receiver.js'
import { endOpen, recordCalls } from '../tools/recording/recorded-calls.js'
import { temporaryFolderOfSuite } from '../support/temporary-folder.js'
import { createModel, listEvents, startJob } from '../support/trainer.js'

const ERROR = 'CUDA out of memory'

/** The commands of the first table, each in a row of its own. */
const commands = Array.from(
  pageOf('docs/how-to/on-call.md')
    .text.split('\n## ')[0]!
    .matchAll(/^\|.*\| `([^`]+)` +\|$/gm),
  ([, command]) => command!,
)

const folder = temporaryFolderOfSuite()
const emulator = createEmulator({ clock: 'manual', scenario: 'failing-job' })

/** Leaves behind what a run with a failed job leaves, and returns what stands for `$NAMES` in the commands. */
async function leftByARun(): Promise<Record<string, string>> {
  await emulator.listen()
  const calls = recordCalls(emulator)
  const client = apiClient(
    emulator,
    createFetch(emulator.handle, (url) => emulator.hostOf(url)),
  )
  const job = await startJob(client, (await createModel(client, 'poet')).id)
  emulator.clock.advance('5m')
  await listEvents(client, job)
  const start = { training_url: 'https://a.example/v1', inference_url: 'https://a.example/v1' }
  const lines = [
    { type: 'recording', version: 1, started_at: '', contents: 'recorded', ...start },
    ...endOpen(calls).flatMap(({ request, response, text, end }) => {
      return [request, response, { type: 'chunk', id: request.id, at: request.at, text }, end]
    }),
  ]
  mkdirSync(`${folder}/recording`)
  const files = {
    'recording/recording.ndjson': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    'report.html': await emulator.report(),
    'requests.har': JSON.stringify(await emulator.har()),
    'state.json': JSON.stringify(await emulator.snapshot()),
    'ci.log': `FAIL test/loop.test.ts\n${emulator.trace()}\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text)
  await using sink = await openWebhookSink({ out: `${folder}/deliveries.ndjson` })
  await sink.fetch(sink.url, { method: 'POST', body: '{"event_type":"RUN_STATE"}' })
  vi.stubEnv('SVTRAIN_API_KEY', 'any-key')
  vi.stubEnv('SVTRAIN_CONTROL_URL', emulator.trainingUrl)
  return { $JOB: job, $SERVICE: emulator.trainingUrl }
}

let names: Record<string, string>

beforeAll(async () => {
  names = await leftByARun()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await emulator.close()
})

it('the table has a row for each', () => {
  expect(commands).toHaveLength(9)
})

// Each row of the table does what it says, and prints the next command.
it.each(commands)('%s', async (command) => {
  workIn(folder)
  const { url } = await startReceiver()
  const line = command.replaceAll(/\$\w+/g, (name) => ({ ...names, $RECEIVER: url })[name]!)
  if (line.startsWith('--')) {
    const args = [...line.split(' '), '--port', '0', '--inference-port', '0']
    const served = await serveInProcess(args, { cwd: folder })
    await served.stop()
    expect(served.said.stdout).toMatch(/^Ready\./m)
    return
  }
  const ran = await run(line.replace(/incident\.yaml$/, '$& --force'))
  expect(ran).toEqual({
    code: 0,
    stdout: expect.stringMatching(/npx svtrain-emulator (?:play|scenarios from|check-receiver) \S/),
    stderr: expect.any(String),
  })
  const isMade = line.includes('incident.yaml')
  const made = isMade ? readFileSync(join(folder, 'incident.yaml'), 'utf8') : ERROR
  expect(made).toContain(ERROR)
})
