import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { readConfigFile } from '../../src/cli/config-file.js'
import { createEmulator } from '../../src/index.js'
import { parseScenario } from '../../src/service/scenario/scenario-yaml.js'
import { readPrices } from '../../src/tools/bill/prices.js'
import { assertBuilt } from '../cli/command.js'
import {
  blocks,
  elsewhere,
  here,
  isSupport,
  isTest,
  PACKAGES,
  programs,
  withPlaces,
} from './examples.js'
import { ONE_CHECKER } from '../../.build/release/types.js'
import { isWorkflow, root, type Block } from '../support/pages.js'
import { asInstalled, createProject, type Project } from '../support/project.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { addTokenizer, withTokenizer } from '../support/tokenizer.js'
import { environmentOf } from './python-examples.js'

/**
 * Every block of TypeScript, JavaScript, YAML and JSON in the documentation, run as a user would. Programs
 * that need no test runner run in programs.test.ts, shell commands in commands.test.ts, Python in
 * test/interop/docs.test.ts.
 */

/** Parts of scenarios that do not run here: test/service/scenario/examples.test.ts gives each to its key. */
function isExampleOfKey({ file, code }: Block): boolean {
  return file === join('docs', 'reference', 'scenario.md') && !/^name: /m.test(code)
}

/** The prices of a user. */
function isPrices({ file, code }: Block): boolean {
  return file === join('docs', 'how-to', 'bill.md') && /^currency: /m.test(code)
}

/** What svtrain.config.yaml sets for a project. */
function isConfig({ file, code }: Block): boolean {
  return file === join('docs', 'start', 'server.md') && /^scenario: /m.test(code)
}

/** The code that the examples for test runners import, such as `../src/train.js`. Pages show it. */
const codeUnderTest = blocks.filter(({ name }) => name?.startsWith('src/'))

async function project(file: string): Promise<Project> {
  const created = await createProject(...PACKAGES)
  addTokenizer(created.folder)
  for (const { name, code } of codeUnderTest) await created.write(name!, code)
  // What `scenarios from` writes, in short.
  await created.write('incident.yaml', 'name: incident\nextends: failing-job\n')
  for (const block of here.filter((each) => each.file === file && isSupport(each))) {
    await created.write(block.name!, block.code)
  }
  return created
}

const isForNode = ({ code }: Block): boolean => code.includes("'node:test'")
const isForJest = ({ code }: Block): boolean =>
  /svtrain-emulator\/jest'|'@jest\/globals'/.test(code)
const isForVitest = (block: Block): boolean =>
  isTest(block) && !isForNode(block) && !isForJest(block)

/** Runs an example in `node:test` or Jest. Returns the output of the runner. */
async function runInRunner(block: Block): Promise<string> {
  const { code, file, language } = block
  const { write, node, jest, remove } = await project(file)
  onTestFinished(remove)
  if (isForNode(block)) {
    const { code: plain } = await transform(code, { loader: 'ts', target: 'node20' })
    await write('test/example.test.mjs', plain)
    return node(['--test', 'test/example.test.mjs'])
  }
  expect(language).toBe('js')
  const isCommonJs = !code.startsWith('import ')
  await write(`test/example.test.${isCommonJs ? 'cjs' : 'mjs'}`, code)
  await write('jest.config.json', '{ "testMatch": ["**/*.test.*"], "transform": {} }')
  return jest('--config', 'jest.config.json')
}

function countOfTests({ code }: Block): number {
  return code.match(/^\s*(?:test|it)(?:\.concurrent)?\(/gm)?.length ?? 0
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { status: string; failureMessages: readonly string[] }[]
  }[]
}

/** More examples would take longer than a hook may take on a busy machine. */
const MOST_IN_A_RUN = 6

function inParts<T>(all: readonly T[], most: number): T[][] {
  const count = Math.ceil(all.length / most)
  return Array.from({ length: count }, (_, part) => all.slice(part * most, (part + 1) * most))
}

/** Settings of a page win: Vitest prefers `vitest.config.*`. */
const SETTINGS_OF_VITEST = `export default { test: { deps: ${JSON.stringify(asInstalled)} } }`

/** Runs examples in one run of Vitest, each in a file of its own. Returns what became of each one. */
async function runInVitest(examples: readonly Block[]): Promise<string[][]> {
  const { folder, write, vitest, remove } = await project(examples[0]!.file)
  await write('vite.config.mjs', SETTINGS_OF_VITEST)
  const nameOf = (index: number): string => `example-${index}.test.ts`
  for (const [index, { code }] of examples.entries()) await write(`test/${nameOf(index)}`, code)
  const printed = await vitest(
    '--reporter=default',
    '--reporter=json',
    '--outputFile.json=out.json',
  )
  const path = join(folder, 'out.json')
  if (!existsSync(path)) throw new Error(`Vitest wrote no report:\n${printed}`)
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as VitestReport
  await remove()
  return examples.map((_, index) => {
    const result = testResults.find(({ name }) => name.endsWith(`/${nameOf(index)}`))
    const outcomes = result?.assertionResults.map(({ status, failureMessages }) => {
      return [status, ...failureMessages].join('\n')
    })
    return outcomes?.length ? outcomes : [result?.message ?? printed]
  })
}

describe('the examples in TypeScript and JavaScript', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it.each(withPlaces(here.filter((block) => isTest(block) && !isForVitest(block))))(
    '%s passes in its test runner',
    async (_place, block) => {
      const tests = countOfTests(block)
      expect(tests).toBeGreaterThan(0)
      expect(await runInRunner(block)).toMatch(
        new RegExp(`Tests:? +${tests} passed(?:$| \\(|,)|^(?:#|ℹ) pass ${tests}$`, 'm'),
      )
    },
  )

  // The examples of a page with settings of its own run in a project of their own.
  const forVitest = here.filter(isForVitest)
  const projectOf = ({ file }: Block): string => {
    return here.some((block) => block.file === file && isSupport(block)) ? file : 'all other pages'
  }
  const pages = [...new Set(forVitest.map(projectOf))]
  const runs = pages.flatMap((page) => {
    const examples = forVitest.filter((block) => projectOf(block) === page)
    return inParts(examples, MOST_IN_A_RUN).map((part, index) => [page, index + 1, part] as const)
  })
  describe.each(runs)('for Vitest, of %s, part %i', (_page, _part, examples) => {
    let outcomes: string[][] = []
    beforeAll(async () => {
      outcomes = await runInVitest(examples)
    })

    it.each(examples.map((block, index) => [block.place, block, index] as const))(
      '%s passes',
      (_place, block, index) => {
        const tests = countOfTests(block)
        expect(tests).toBeGreaterThan(0)
        expect(outcomes[index]).toEqual(Array.from({ length: tests }, () => 'passed'))
      },
    )
  })

  it('have correct types', async () => {
    const { write, node, remove } = await project('')
    onTestFinished(remove)
    const typed = here.filter(({ language }) => language === 'ts')
    for (const [index, { code, file }] of typed.entries()) {
      const name = `${file.replaceAll(/[/.]/g, '-')}-${index}.ts`
      await write(`test/${name}`, `${code}\nexport {}\n`)
    }
    const compilerOptions = {
      module: 'nodenext',
      target: 'esnext',
      lib: ['esnext', 'dom'],
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs: false,
      noImplicitAny: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    }
    await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['test'] }))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const printed = await node([tsc, '-p', '.', ...ONE_CHECKER])
    expect(printed.trim()).toBe('')
  })
})

describe('the examples in YAML', () => {
  const inYaml = blocks.filter(({ language }) => language === 'yaml')

  const isOther = (block: Block) => {
    return [isWorkflow, isExampleOfKey, isPrices, isConfig].some((is) => is(block))
  }

  it.each(withPlaces(inYaml.filter((block) => !isOther(block))))(
    '%s is a scenario, and can be used',
    (place, { code }) => {
      const scenario = parseScenario(withTokenizer(code), place)
      expect(scenario.name).not.toBe('')
      createEmulator({ scenario })
    },
  )

  it.each(withPlaces(inYaml.filter(isExampleOfKey)))('%s is YAML', (_place, { code }) => {
    expect(parse(code)).toEqual(expect.any(Object))
  })

  it.each(withPlaces(inYaml.filter(isPrices)))('%s has prices', (_place, { code }) => {
    expect(readPrices(code).currency).toBe('usd')
  })

  it.each(withPlaces(inYaml.filter(isConfig)))(
    '%s sets options of the emulator',
    async (_place, { code }) => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'svtrain.config.yaml'), code)
      const { name, problem, options } = await readConfigFile(folder, {})
      expect({ name, problem }).toEqual({ name: 'svtrain.config.yaml', problem: undefined })
      expect(Object.keys(options)).toEqual(Object.keys(parse(code) as object))
    },
  )

  it.each(withPlaces(inYaml.filter(isWorkflow)))('%s is a workflow', (_place, { code }) => {
    expect(parse(code)).toEqual(expect.any(Object))
  })
})

it.each(withPlaces(blocks.filter(({ language }) => language === 'json')))(
  'the examples in JSON %s is JSON',
  (_place, { code }) => {
    expect(() => JSON.parse(code) as unknown).not.toThrow()
  },
)

describe('every block', () => {
  it('has a language that a test runs, or is output', () => {
    // The settings of pytest in TOML: python/tests/test_package.py.
    const known = ['ts', 'js', 'yaml', 'json', 'sh', 'python', 'text', 'toml']
    // Commands with their output. `npm run generate` makes the calls of the control API itself.
    const sessions: Record<string, string> = {
      'docs/reference/cli.md': 'test/cli/examples.test.ts',
      'docs/reference/control.md': 'test/docs/reference.test.ts',
    }
    const strangers = blocks.filter(({ language, file }) => {
      return !known.includes(language) && !(language === 'console' && file in sessions)
    })
    expect(strangers.map(({ place, language }) => `${place}: ${language}`)).toEqual([])
  })

  it('in Python runs in the conformance tests, which have its packages', () => {
    const inPython = blocks.filter(({ language }) => language === 'python')
    expect(inPython.length).toBeGreaterThan(5)
    expect(inPython.filter((block) => environmentOf(block, blocks) === undefined)).toEqual([])
  })

  it.each(elsewhere)('that does not run here exists: $where', ({ is }) => {
    expect(programs.filter(is).length).toBeGreaterThan(0)
  })
})
