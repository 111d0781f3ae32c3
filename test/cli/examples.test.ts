import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { entriesOf } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import { describeApi } from '../../src/service/api/openapi.js'
import { operations } from '../../src/compose/control-table.js'
import { createEmulator } from '../../src/index.js'
import { bearer } from '../support/api-client.js'
import { root } from '../support/pages.js'
import { startReceiver } from '../support/receiver.js'
import { startsSink } from '../docs/session.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { submit } from '../support/trainer.js'
import { recordedCall } from '../tools/recording/recorded-call.js'
import { assertBuilt, Command, type CommandOptions } from './command.js'
import { endedInProcess } from './in-process.js'

/** The examples in the help of the commands, which the reference shows as well. */

const reference = readFileSync(join(root, 'docs', 'reference', 'cli.md'), 'utf8')
const examples = Array.from(
  reference.matchAll(/^\$ npx svtrain-emulator (.*)$/gm),
  ([, line]) => line!,
)

function wordsOf(line: string): string[] {
  const [command = ''] = line.split(' > ')
  return command.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''))
}

const RUN_STATE = '{"event_type": "RUN_STATE"}'

/** Commands that use the output or the input of the process itself, or that run until a signal. */
const PROCESSES = ['completion', 'exec', 'mcp', 'record']

/** Whether an example runs in a process of its own. All others run in the process of the test. */
function needsProcess(words: readonly string[]): boolean {
  return PROCESSES.includes(words[0]!) || startsSink(words) || words.includes('--watch')
}

/** A program that asks a chat once. */
const CALL = `
  const { SVTRAIN_BASE_URL, SVTRAIN_API_KEY } = process.env
  await fetch(SVTRAIN_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + SVTRAIN_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'example/base-8b-instruct',
      messages: [{ role: 'user', content: 'Hello' }],
    }),
    signal: AbortSignal.timeout(5000),
  })`

/** What an emulator leaves behind. No example changes it, so all have the same. */
interface Saved {
  snapshot: string
  page: string
}

async function savedEmulator(): Promise<Saved> {
  await using emulator = createEmulator()
  await emulator.listen()
  await callHealth(emulator)
  const { origin } = new URL(emulator.trainingUrl)
  const snapshot = await (await fetch(`${origin}/_emulator/snapshot`)).text()
  return { snapshot, page: await emulator.report() }
}

async function callHealth(emulator: ReturnType<typeof createEmulator>): Promise<void> {
  const { origin } = new URL(emulator.trainingUrl)
  await emulator.fetch(`${origin}/v1/health`, { headers: bearer(emulator.apiKey) })
}

/** Returns the id of a job of that emulator that is over. */
async function endedJob(emulator: ReturnType<typeof createEmulator>): Promise<string> {
  const id = await submit(emulator, 'poet', emulator.apiKey)
  await emulator.settle()
  return id
}

/** A folder with the files that the examples read. */
function folderWith({ snapshot, page }: Saved): string {
  const folder = temporaryFolder()
  const files = {
    'payload.json': '{"hello": "receiver"}',
    'train.jsonl': '{"messages": [{"role": "user", "content": "Hi"}]}\n',
    'mine.yaml': 'name: mine\n',
    'prices.yaml': 'currency: usd\nmodels: { "*": { prompt: 1, completion: 2, trained: 3 } }\n',
    'other.yaml': 'name: other\n',
    'state.json': snapshot,
    'deliveries.ndjson': `{"id":"1","headers":{},"text":${JSON.stringify(RUN_STATE)}}\n`,
    'openapi.json': JSON.stringify(describeApi(operations, 'training')),
    'svtrain-report.html': page,
    'events.json': JSON.stringify([
      { id: 'a', type: 'training_started', data: { num_sequences: 4 } },
      { id: 'b', type: 'training_ended', data: {} },
    ]),
    'incident/recording.ndjson': RECORDING,
    'scenarios/mine.yaml': 'name: mine\n',
  }
  for (const name of ['incident', 'scenarios']) mkdirSync(join(folder, name))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** One call that was to create a model. */
const { text: RECORDING } = recordedCall(
  { path: '/v1/preview/models', body: '{}' },
  { status: 503, body: {} },
)

describe('the examples of the commands', { timeout: 60_000 }, () => {
  let saved: Saved
  beforeAll(async () => {
    assertBuilt()
    saved = await savedEmulator()
  })

  it('are there for every command', () => {
    const sections = reference.split(/^## /m).slice(1)
    const commands = sections.filter((section) => !section.startsWith('Serve\n'))
    expect(commands.length).toBeGreaterThan(15)
    const without = commands.filter((section) => !section.includes('$ npx svtrain-emulator '))
    expect(without.map((section) => section.split('\n')[0])).toEqual([])
    const names = entriesOf(commandGroups).map(({ name }) => name)
    expect(names).toContain('completion')
    const listed = sections.map((section) => section.split(/[ \n]/)[0])
    expect(names.filter((name) => !listed.includes(name))).toEqual([])
  })

  it.each(examples)('run: %s', async (line) => {
    await using emulator = createEmulator()
    await emulator.listen()
    const receiver = await startReceiver()
    const { origin } = new URL(emulator.trainingUrl)
    await callHealth(emulator)
    const cwd = folderWith(saved)
    const job = line.includes(' --job ') ? await endedJob(emulator) : ''
    if (line.includes('poet:step2')) for (const _ of [1, 2]) await endedJob(emulator)
    const words = wordsOf(line).map((word) => {
      return word
        .replace(/^0cd7ed71-.*/, job)
        .replace('https://api.example.com/v1', job === '' ? '$&' : emulator.trainingUrl)
        .replace('http://127.0.0.1:8080/hooks', receiver.url)
        .replace('http://127.0.0.1:4600', origin)
        .replace(/^200$/, '5')
    })
    const dashes = words.indexOf('--')
    // The command of a user: any will do. One that is recorded would call the real service.
    const program = words[0] === 'record' ? '' : CALL
    if (dashes !== -1)
      words.splice(dashes + 1, Infinity, process.execPath, '--input-type=module', '--eval', program)
    if (words[0] === 'explore')
      words.splice(1, 0, ...(line.includes('--runs') ? [] : ['--runs', '3']))
    const env = { SVTRAIN_CONTROL_URL: emulator.trainingUrl, SVTRAIN_API_KEY: emulator.apiKey }
    const { code, stdout, stderr } = needsProcess(words)
      ? await endedProcess(words, { cwd, env })
      : await endedInProcess(words, { cwd, env })
    // The signature of the example is wrong, and the receiver accepts every delivery. The program has no retries.
    const mayFind = ['sink verify', 'check-receiver', 'trigger', 'explore', 'doctor']
    const finds = mayFind.some((each) => line.startsWith(each))
    // Its one call may meet no fault of two scenarios.
    const isIdle = line.includes('--only chat-hangs,rate-limited')
    const usual = finds ? [0, 1] : [0]
    const allowed = isIdle ? [3] : usual
    expect({ code, printed: stdout + stderr }).toMatchObject({
      code: expect.toSatisfy((each: number) => allowed.includes(each)) as number,
    })
  })
})

/** How a process ended. The code is null if a signal ended it. */
interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs an example as a process, which gets a signal once it waits. */
async function endedProcess(words: readonly string[], options: CommandOptions): Promise<Ran> {
  const isSink = startsSink(words)
  // With a command, it ends by itself.
  const isRecord = words[0] === 'record' && !words.includes('--')
  const ports = isSink ? ['--port', '0'] : ['--port', '0', '--inference-port', '0']
  const command = new Command(isSink || isRecord ? [...words, ...ports] : words, options)
  if (words[0] === 'mcp') {
    await command.says(/MCP server/)
    command.signal('SIGINT')
  }
  if (words.includes('--watch')) {
    await command.says(/^Checked /m)
    command.signal('SIGINT')
  }
  if (isSink || isRecord) {
    await command.says(/http:\/\/127\.0\.0\.1:\d+/)
    command.signal('SIGINT')
  }
  const code = await command.ended()
  return { code, stdout: command.stdout, stderr: command.stderr }
}
