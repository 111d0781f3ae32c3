import type { EnvironmentName } from '../interop/python.js'
import type { Block } from '../support/pages.js'

/** The packages that examples import, and the environment that has them. The first one that an example imports decides. */
const environments: readonly [module: string, environment: EnvironmentName][] = [
  ['svtrain_emulator', 'clients'],
  ['art', 'newest'],
  ['litellm', 'litellm'],
  ['pydantic_ai', 'clients'],
  ['agents', 'clients'],
  ['langchain_openai', 'clients'],
  ['openai', 'clients'],
  ['wandb', 'wandb'],
  ['httpx', 'newest'],
  ['pytest', 'newest'],
]

/** Modules that come with Python. */
const STANDARD = ['asyncio', 'contextlib', 'hashlib', 'hmac', 'http', 'json', 'os', 'pathlib', 're']
const ALSO = [
  'queue',
  'subprocess',
  'sys',
  'tempfile',
  'threading',
  'time',
  'typing',
  'urllib',
  'uuid',
]

/**
 * Returns the environment that has the packages of an example. Undefined if no environment has all of them.
 *
 * @param blocks All blocks. An example may import the modules that pages show.
 */
export function environmentOf(
  { code }: Block,
  blocks: readonly Block[],
): EnvironmentName | undefined {
  const own = blocks.map(({ name }) => name)
  const imported = [...code.matchAll(/^\s*(?:import|from) (\w+(?:\.\w+)*(?:, \w+)*)/gm)]
    .flatMap(([, names]) => names!.split(', '))
    .map((name) => name.split('.')[0]!)
    .filter((name) => ![...STANDARD, ...ALSO].includes(name) && !own.includes(`${name}.py`))
  const known = new Map(environments)
  if (imported.some((name) => !known.has(name))) return undefined
  return environments.find(([module]) => imported.includes(module))?.[1] ?? 'newest'
}

/**
 * Whether an example needs the fixtures of the Python package, or is the code that they test. These run
 * in python/tests/test_package.py, with the wheel.
 */
export function needsFixtures(block: Block, blocks: readonly Block[]): boolean {
  const usesFixture = ({ code }: Block): boolean => /^(?:async )?def test_\w+\(svtrain/m.test(code)
  if (usesFixture(block)) return true
  const module = block.name?.replace(/\.py$/, '')
  if (module === undefined) return false
  return blocks.some((each) => {
    return each.file === block.file && usesFixture(each) && each.code.includes(`from ${module} `)
  })
}

/** Whether an example starts the emulator by the Python package. */
export function usesPackage({ code }: Block): boolean {
  return code.includes('from svtrain_emulator')
}

/** Whether pytest runs an example: a test, or the fixtures of its page. */
export function isPytest({ code }: Block): boolean {
  return isPytestFile(code) || isConftest(code)
}

function isPytestFile(code: string): boolean {
  return /^(?:async )?def test_/m.test(code)
}

/** Whether an example has fixtures and no tests. */
export function isConftest(code: string): boolean {
  return code.includes('@pytest.fixture') && !isPytestFile(code)
}

/** Returns the output of pytest that a page shows after a test, before its next example. */
export function shownByPytest(block: Block, blocks: readonly Block[]): string | undefined {
  const next = blocks[blocks.findIndex(({ place }) => place === block.place) + 1]
  const isOutput = isPytest(block) && next?.file === block.file && next.language === 'text'
  return isOutput ? next.code : undefined
}
