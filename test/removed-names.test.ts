import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as removed from '../src/base/text/removed.js'
import * as removedExports from '../src/base/text/removed-exports.js'
import { entriesOf, type Entry } from '../src/cli/command.js'
import { commandGroups } from '../src/cli/commands/index.js'
import { createClient } from '../src/client.js'
import * as index from '../src/index.js'
import { createEmulator, type ScenarioInput } from '../src/index.js'
import { refusal } from './cli/parsed.js'
import { controlled } from './emulator/control/control.js'

// Uses each name of `src/base/text/removed.ts` as a user would. A name that still exists gets no error, so its row fails.

type Row = readonly [name: string, sentence: string]

function rowsOf(names: removed.Names): Row[] {
  return Object.entries(names).map(([name, instead]) => [name, `was removed in 0.3: ${instead}`])
}

/** `a[].b` with a value: `{ a: [{ b: value }] }`. */
function nested(path: readonly string[], value: unknown): object {
  return path.reduceRight<unknown>((inner, key) => {
    return key.endsWith('[]') ? { [key.slice(0, -2)]: [inner] } : { [key]: inner }
  }, value) as object
}

/** The commands that a user can run, without groups. */
function runnable(entries: readonly Entry[]): Entry[] {
  return entries.flatMap((each) => [...(each.load ? [each] : []), ...runnable(each.commands ?? [])])
}

afterEach(() => {
  vi.unstubAllEnvs()
})

const commandNames = runnable(entriesOf(commandGroups)).map((each) => each.name)

describe.each(rowsOf(removed.removedCommands))('the command %s', (name, sentence) => {
  it('does not exist', () => {
    expect(commandNames).not.toContain(name)
  })

  it.each([
    name,
    `${name} file.json --some-option value`,
    `${name} --json -- python train.py`,
    `${name} --help`,
    `${name} --version`,
    `help ${name}`,
    `--seed 7 ${name}`,
  ])('is refused: %s', async (line) => {
    expect(await refusal(line)).toBe(`${name} ${sentence}`)
  })
})

describe.each(rowsOf(removed.removedFlags))('the option %s', (name, sentence) => {
  const flag = name.split(' ').at(-1)!
  const owner = name.slice(0, -flag.length).trim()

  it.each(owner === '' ? ['', ...commandNames] : [owner])(
    'is refused by the command "%s"',
    async (command) => {
      for (const written of [flag, `${flag}=value`, `${flag} value`]) {
        expect(await refusal(`${command} ${written}`.trim())).toContain(`${flag} ${sentence}`)
      }
    },
  )
})

describe.each(rowsOf(removed.removedVariables))('the variable %s', (name, sentence) => {
  it('is refused by commands that start an emulator', async () => {
    for (const line of ['', 'exec -- true']) {
      expect(await refusal(line, { [name]: 'value' })).toBe(`${name} ${sentence}`)
    }
  })

  it('is refused by createEmulator, unless it was for commands', () => {
    vi.stubEnv(name, 'value')
    if (name.startsWith('SVTRAIN_EMULATOR_')) createEmulator()
    else expect(() => createEmulator()).toThrow(`${name} ${sentence}`)
  })
})

it.each(rowsOf(removed.removedOptions))(
  'the option %s of a function is refused',
  (name, sentence) => {
    const [of = '', ...path] = name.split('.')
    const functions: Readonly<Record<string, (options: object) => unknown>> = {
      createEmulator,
    }
    const shown = path.join('.').replaceAll('[]', '[0]')
    expect(() => functions[of]!(nested(path, 'value'))).toThrow(
      `${of}: option "${shown}" ${sentence}`,
    )
  },
)

it.each(rowsOf(removed.removedKeys))('the key %s of a scenario is refused', (name, sentence) => {
  const path = name.split('.')
  const scenario = { name: 'mine', ...nested(path, 'value') } as ScenarioInput
  expect(() => createEmulator({ scenario })).toThrow(`"${path.at(-1)}" ${sentence}`)
})

it.each(rowsOf(removed.removedCalls))(
  'the control API answers %s with 410',
  async (name, sentence) => {
    const { call } = controlled()
    const answer = await call(name.replace('/_emulator', ''))
    expect(answer).toEqual({ status: 410, body: { detail: `${name} ${sentence}` } })
  },
)

describe.each(rowsOf(removed.removedExports))('the export %s', (name, sentence) => {
  const { [name]: value } = index as Readonly<Record<string, unknown>>
  const used = value as new () => object

  it('throws when it is called, constructed or compared with', () => {
    const error = expect.objectContaining({
      code: 'SVTRAIN_REMOVED',
      message: `${name} ${sentence}`,
    }) as Error
    expect(() => (used as unknown as () => void)()).toThrow(error)
    expect(() => new used()).toThrow(error)
    expect(() => new Error('any') instanceof used).toThrow(error)
  })
})

it('each removed export has its row', () => {
  expect(Object.keys(removedExports)).toEqual(Object.keys(removed.removedExports))
})

const members = [
  { owner: 'emulator', names: removed.removedFromEmulator, create: createEmulator },
  {
    owner: 'client',
    names: removed.removedFromClient,
    create: () => createClient({ url: 'http://127.0.0.1:4600' }),
  },
  { owner: 'request', names: removed.removedFromRequests, create: aRequest },
].flatMap(({ owner, names, create }) => {
  return rowsOf(names).map(([name, sentence]) => [`${owner}.${name}`, sentence, create] as const)
})

it.each(members)('%s says what to use, and is not in sight', async (name, sentence, create) => {
  const object: object = await create()
  const key = name.split('.')[1]!
  expect(() => Reflect.get(object, key) as unknown).toThrow(
    expect.objectContaining({ code: 'SVTRAIN_REMOVED', message: `${name} ${sentence}` }),
  )
  const seen = []
  for (const each in object) seen.push(each)
  expect(seen).not.toContain(key)
  expect(Object.keys(object)).not.toContain(key)
  expect(inspect(object)).not.toContain(key)
})

/** The entry of a request in the journal. */
async function aRequest(): Promise<object> {
  const emulator = createEmulator()
  await emulator.fetch(new URL('/v1/models', emulator.inferenceUrl))
  return emulator.requests.all()[0]!
}
