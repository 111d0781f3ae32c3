import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environments, type Environment, type Python } from '../python.js'
import { CAPABILITIES, SDK_PROGRAM, showCapabilities } from '../sdk.js'
import { use, type Example } from '../use.js'

/** A version of a client that the matrix runs. */
export interface Version {
  readonly version: string
  /** The Python it runs on, as users have it: 12 is Python 3.12. */
  readonly python: number
  readonly environment: Environment
  /** What a user installs beside it, as arguments of pip. */
  readonly beside?: string
  /** What fails in it without that. */
  readonly note?: string
}

/** What became of a part of a client. */
export interface Part {
  readonly part: string
  readonly examples: readonly Example[]
  /** What was said that a user should not see. */
  readonly strange: readonly string[]
}

/** A client whose versions the matrix runs. */
export interface Client {
  /** Its name on the package index. */
  readonly name: string
  /** The name of its table in docs/how-to/clients.md. */
  readonly table: string
  readonly result: string
  /** The newest version first. Each older one sends something else than the version after it. */
  readonly versions: readonly Version[]
  readonly parts: readonly string[]
  /** Whether the table lists the examples of each part. */
  readonly listsExamples: boolean
  readonly run: (python: Python) => Promise<Part[]>
}

const OLD = 'numpy openai==2.30.0 "polars<2"'
const NO_NUMPY = 'It imports numpy without requiring it.'
const OLD_OPENAI = 'With newer versions of openai, it sends no key.'
const OTHER_TIMEOUTS = 'With openai 3, each chat fails with a `TypeError`.'
const OLD_POLARS = 'With polars 2, `delete_checkpoints()` fails after a second step is logged.'
const CRASH =
  'On Python 3.13.0, an error beside an open progress bar ends in a segmentation fault, also without the emulator.'

function older(folder: string, version: string, python: number): Version {
  const requirements = join('matrix', folder, `${version}.txt`)
  return { version, python, environment: { oldest: python, newest: python, requirements } }
}

export const art: Client = {
  name: 'openpipe-art',
  table: 'matrix',
  result: join(import.meta.dirname, 'art-result.json'),
  versions: [
    { version: '0.5.23', python: 12, environment: environments.newest },
    {
      ...older('', '0.5.18', 12),
      beside: 'numpy openai==2.54.0 "polars<2"',
      note: `${NO_NUMPY} ${OTHER_TIMEOUTS} ${OLD_POLARS} ${CRASH}`,
    },
    { ...older('', '0.5.17', 12), beside: OLD, note: `${NO_NUMPY} ${OLD_OPENAI} ${OLD_POLARS}` },
    { ...older('', '0.5.11', 11), beside: OLD, note: `${NO_NUMPY} ${OLD_OPENAI} ${OLD_POLARS}` },
    {
      ...older('', '0.5.9', 11),
      note: `${NO_NUMPY} The same goes for PyTorch, and we did not run it with it.`,
    },
    older('', '0.5.3', 10),
    older('', '0.5.0', 10),
  ],
  parts: ['register', 'rollout', 'train', 'checkpoints', 'log', 'SFT', 'delete'],
  listsExamples: false,
  run: async (python) => artParts((await use(python, 'art_client.py')).examples),
}

export function artParts(examples: readonly Example[]): Part[] {
  return art.parts.map((part) => {
    return { part, examples: examples.filter((each) => each.part === part), strange: [] }
  })
}

export const sdk: Client = {
  name: 'wandb',
  table: 'matrix of wandb',
  result: join(import.meta.dirname, 'sdk-result.json'),
  versions: [
    { version: '0.31.0', python: 12, environment: environments.wandb },
    ...['0.29.0', '0.26.1', '0.22.3', '0.19.11'].map((version) => older('wandb', version, 12)),
  ],
  parts: CAPABILITIES,
  listsExamples: true,
  run: ({ command }) => showCapabilities(command!),
}

/** The names of the examples of a program, in its order. With a part, only those of the part. */
export function examplesIn(program: string, part?: string): string[] {
  const source = readFileSync(join(import.meta.dirname, '..', program), 'utf8')
  const examples = source.matchAll(/^@example\(\s*"(.*?)"(?:, (?:part=)?"(.*?)")?/gm)
  return Array.from(examples, ([, name, of]) => ({ name: name!, of }))
    .filter(({ of }) => part === undefined || of === part)
    .map(({ name }) => name)
}

export function examplesOfSdk(part: string): string {
  return examplesIn(SDK_PROGRAM, part).join('; ')
}
