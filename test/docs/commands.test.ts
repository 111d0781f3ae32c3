import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { assertBuilt } from '../cli/command.js'
import { allBlocks, isWorkflow, patternOf, root, type Block } from '../support/pages.js'
import { writeNamed } from './named-blocks.js'
import { writeRollouts } from './rollouts-file.js'
import { linkPackages } from '../support/project.js'
import { commandsOf, Session, startAbove, startOf } from './session.js'
import { temporaryFolder, temporaryFolderOfSuite } from '../support/temporary-folder.js'

/**
 * Every block of shell commands in the documentation, run as a user would: in order, in one folder for
 * each page. Calls go to the emulator that the page starts above, on free ports.
 */

const blocks = allBlocks()

/** Programs that do not run here. Their calls are recorded, and must be in this list. */
const elsewhere: readonly [pattern: RegExp, where: string][] = [
  [/^npm ci$/, '.ci/run'],
  [/^npm pack$/, '.build/release-check.ts'],
  [/^npm (?:test|run check|run conformance|run test:(?:package|soak))$/, '.ci/run'],
  [/^npm test( |$)/, "the user's own tests"],
  [/^bash \.ci\/run$/, 'runs before each release'],
  [/^npm run (?:build|generate)$/, '.build/build.ts; test/docs/reference.test.ts'],
  [/^npm run release:check$/, 'test/package/package.test.ts; .ci/run'],
  [/^npx tsx \.build\/from-source\.ts /, 'test/package/clone.test.ts'],
  [/^npm run (?:bench|soak|interop:matrix)( |$)/, 'by hand: it takes minutes'],
  [/^npm (?:install|i) /, 'test/package installs the package'],
  [/^pip install /, 'the test of versions below; test/interop installs these packages'],
  [/^pytest( |$)/, 'test/interop/docs.test.ts'],
  [/^python3? (?:-m )?[\w./]+/, 'test/interop'],
  [/^python3? -c import json; /, 'test/cli/doctor.test.ts'],
  [/^svtrain-emulator --scenario [\w-]+$/, 'python/tests/test_program.py'],
  [/^svtrain-emulator (?:exec|explore) .*-- python train\.py$/, 'the pages that write it with npx'],
  [/^docker (?:build|run) /, 'test/package/dockerfile.test.ts'],
  [/^npx (?:vitest|jest|msw) /, 'test/docs/examples.test.ts'],
]

/** Commands that end with another exit code than 0, because they show a mistake, or because a stand-in calls nothing. */
const failing: readonly [pattern: RegExp, code: number][] = [
  [/^npx svtrain-emulator check-data rollouts\.jsonl$/m, 1],
  [/^npx svtrain-emulator sink verify .*--signature "\$signature"$/m, 1],
  [/^SVTRAIN_BASE_URL=\S+ npx svtrain-emulator doctor$/m, 1],
  [/^npx svtrain-emulator explore --only commit-then-fail /m, 1],
  [/^npx svtrain-emulator explore --intercept -- python train\.py$/m, 2],
  [/^npx svtrain-emulator exec --bill prices\.yaml --steps 30 --budget 5usd -- python /m, 123],
  [
    /^npx svtrain-emulator exec --clock auto --checks --bill --steps 300 --budget 2M-tokens -- /m,
    123,
  ],
]

/** Calls of a running emulator. */
const CALLS_EMULATOR =
  /\b(?:127\.0\.0\.1|localhost):460[01]\b|\$\{?(?:SVTRAIN|OPENAI)_\w*URL|snapshot (?:export|import)|svtrain-emulator report /

/** Runs a block, and returns what its commands print. */
async function runBlock(session: Session, block: Block, script = block.code): Promise<string> {
  const commands = commandsOf(script)
  expect(commands).not.toEqual([])
  let printed = ''
  let rest: string[] = []
  const runRest = async (): Promise<void> => {
    if (rest.length > 0) printed += await runScript(session, block, rest.join('\n'))
    rest = []
  }
  for (const command of commands) {
    const start = startOf(command)
    if (!start) {
      rest.push(command)
      continue
    }
    await runRest()
    await session.start(start)
    printed += session.printed
  }
  await runRest()
  // Also what it printed since its start.
  if (session.isRunning) printed += session.printed
  await session.stop()
  return session.onPage(printed)
}

async function runScript(session: Session, block: Block, script: string): Promise<string> {
  const needed = [
    ...(CALLS_EMULATOR.test(script) ? ['emulator' as const] : []),
    ...(/:4610\b/.test(script) ? ['sink' as const] : []),
  ]
  for (const kind of needed) {
    if (!session.runs(kind)) await session.start(startAbove(block, blocks, kind))
  }
  if (script.includes('127.0.0.1:8080')) {
    await session.startReceiver(/check-receiver .*--secret (\S+)/.exec(script)?.[1])
  }
  // The commands of the first page that a user reads stay processes that a shell starts.
  const ran = await (block.file === 'README.md' ? session.run(script) : session.runHere(script))
  const { code, stdout, stderr } = ran
  const expected = failing.find(([pattern]) => pattern.test(script))?.[1] ?? 0
  expect({ code, stdout, stderr }).toMatchObject({ code: expected })
  return stdout
}

/** Returns the calls of stand-ins that are not in the list. */
function strangersIn(standIns: readonly string[]): string[] {
  return standIns
    .filter((call) => !elsewhere.some(([pattern]) => pattern.test(call)))
    .map((call) => `${call}: add it to \`elsewhere\` in test/docs/commands.test.ts`)
}

/** Saves the blocks to which the page gives a name. All pages of a skill belong together. */
function saveNamed(folder: string, file: string): void {
  const [, skill] = /^(skills\/[^/]+\/)/.exec(file) ?? []
  writeNamed(
    folder,
    blocks.filter((block) => block.file.startsWith(skill ?? file)),
  )
}

/** Saves the nearest scenario above under the name that `scenarios check` and others use for it. */
function saveScenario(folder: string, block: Block): void {
  if (block.code.includes('scenarios new')) return
  const above = blocks.slice(0, blocks.indexOf(block))
  const scenario = above.findLast(({ file, language, code }) => {
    return file === block.file && language === 'yaml' && /^name: /m.test(code)
  })
  for (const [name] of block.code.matchAll(/[\w-]+\.yaml\b/g)) {
    const path = join(folder, name)
    if (scenario && !existsSync(path)) writeFileSync(path, scenario.code)
  }
}

/** It needs a receiver of the page: test/docs/receivers.test.ts runs it. */
const COUNTS = /check-receiver .*--count-url/

const shells = blocks.filter(({ language, code }) => language === 'sh' && !COUNTS.test(code))

describe.each([...new Set(shells.map(({ file }) => file))])(
  'the commands of %s',
  { timeout: 120_000 },
  (file) => {
    const folder = temporaryFolderOfSuite()
    beforeAll(async () => {
      assertBuilt()
      saveNamed(folder, file)
      await linkPackages(folder, ['openai', 'msw', 'vitest'])
    })

    it.each(
      shells.filter((block) => block.file === file).map((block) => [block.place, block] as const),
    )('%s', async (_place, block) => {
      saveScenario(folder, block)
      if (block.code.includes('rollouts.jsonl')) writeRollouts(folder)
      const session = new Session(folder, undefined, file !== 'README.md')
      const printed = await runBlock(session, block)
      expect(strangersIn(session.standIns)).toEqual([])
      if (block.shown !== undefined) expect(printed).toMatch(patternOf(block.shown))
    })
  },
)

describe('the steps of CI workflows', { timeout: 120_000 }, () => {
  // test/docs/ci.test.ts checks the other files of Docker Compose, which have no steps.
  const workflows = blocks
    .filter((block) => isWorkflow(block) && !/^services:(?![^]*command: svtrain)/m.test(block.code))
    .map((block) => [block.place, block] as const)

  it.each(workflows)('%s run', async (_place, block) => {
    const steps = stepsOf(parse(block.code))
    expect(steps).not.toEqual([])
    const folder = temporaryFolder()
    const session = new Session(folder)
    for (const step of steps) await runBlock(session, block, step)
    expect(strangersIn(session.standIns)).toEqual([])
  })
})

/** The commands of a workflow: each `run`, each line of a `script`, and a `command` of ours in a container. */
function stepsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    if (key === 'run' && typeof each === 'string') return [each]
    if (key === 'command' && String(each).startsWith('svtrain-')) return [`npx ${String(each)}`]
    if (key === 'script' && Array.isArray(each)) return each.map(String)
    return stepsOf(each)
  })
}

it('pip install names packages in versions that the tests install', () => {
  const listed = ['', '-newest', '-clients', '-litellm', '-package'].flatMap((set) =>
    readFileSync(join(root, 'test', 'interop', `requirements${set}.txt`), 'utf8').split('\n'),
  )
  const isListed = (name: string): boolean => {
    if (name === manifest.name) return true // The tests of the Python package install its wheel.
    return listed.some((line) => line === name || withoutExtras(line).startsWith(`${name}==`))
  }
  const strangers = blocks.flatMap(({ code, place }) =>
    [...code.matchAll(/\bpip install (.*)$/gm)].flatMap(([, packages]) =>
      packages!
        .split(' ')
        .map((name) => name.replaceAll(/['"]/g, ''))
        .filter(
          (name) => !name.startsWith('-') && !isListed(name) && !isListed(withoutExtras(name)),
        )
        .map((name) => `${place}: ${name}`),
    ),
  )
  expect(strangers).toEqual([])
})

function withoutExtras(name: string): string {
  return name.replace(/\[.*?\]/, '')
}
