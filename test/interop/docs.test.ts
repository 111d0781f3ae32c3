import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { OFFLINE_SETTINGS } from '../../src/base/text/vendor/sdk-variables.js'
import { assertBuilt } from '../cli/command.js'
import { allBlocks, patternOf, root, type Block } from '../support/pages.js'
import { linkPackages } from '../support/project.js'
import {
  environmentOf,
  isConftest,
  isPytest,
  needsFixtures,
  shownByPytest,
  usesPackage,
} from '../docs/python-examples.js'
import { commandsOf, exportsAbove, Session, startAbove } from '../docs/session.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { BYTECODE, FEW_CERTIFICATES, type Python } from './python.js'

/**
 * Every block of Python in the documentation, run as a user would: a program, or a test of pytest. What
 * needs the fixtures of the Python package runs in python/tests/test_package.py.
 */

const pythons = inject('pythons')
const blocks = allBlocks()
const inPython = blocks.filter((block) => {
  return block.language === 'python' && !needsFixtures(block, blocks)
})

const SETTINGS = { PYTHONPYCACHEPREFIX: BYTECODE, ...OFFLINE_SETTINGS, ...FEW_CERTIFICATES }

/** The end of what the client checks say about a program. */
const FINDING = 'false allows it)'

function write(folder: string, name: string, code: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
}

/** The nearest command above that runs pytest, as in `npx svtrain-emulator exec -- pytest`. */
function pytestAbove(block: Block): string {
  const commands = blocks
    .slice(0, blocks.indexOf(block))
    .filter(({ file, language }) => file === block.file && language === 'sh')
    .flatMap(({ code }) => commandsOf(code))
  const found = commands.findLast((command) => /svtrain-emulator exec .*-- pytest/.test(command))
  return found ?? 'npx svtrain-emulator exec -- pytest'
}

/** The command of the page that runs this program by `exec --intercept`. */
function interceptedAbove({ file, name }: Block): string | undefined {
  if (name === undefined) return undefined
  return blocks
    .filter((each) => each.file === file && each.language === 'sh')
    .flatMap(({ code }) => commandsOf(code))
    .find((command) => command.includes('--intercept') && command.endsWith(`-- python ${name}`))
}

describe('the examples in Python', () => {
  beforeAll(assertBuilt)

  for (const block of inPython.filter((each) => isPytest(each))) {
    const command = pythonFor(block)?.command
    it.skipIf(command === undefined)(`${block.place} passes in pytest`, async () => {
      const session = new Session(temporaryFolder(), dirname(command!))
      const tests = writeTests(session.folder, block)
      await linkPackages(session.folder, [])
      const ran = await session.run(pytestAbove(block), SETTINGS)
      expect(ran).toMatchObject({ code: 0 })
      expect(Number(/(\d+) passed/.exec(ran.stdout)?.[1])).toBeGreaterThanOrEqual(tests)
      expect(ran.stdout).not.toMatch(/skipped|xfailed|ClientCheckWarning/)
      const shown = shownByPytest(block, blocks)
      if (shown !== undefined) expect(ran.stdout).toMatch(patternOf(shown))
    })
  }

  for (const block of inPython.filter((each) => interceptedAbove(each) !== undefined)) {
    const command = pythonFor(block)?.command
    it.skipIf(command === undefined)(`${block.place} runs as it is by exec`, async () => {
      const session = new Session(temporaryFolder(), dirname(command!))
      write(session.folder, block.name!, block.code)
      const ran = await session.run(interceptedAbove(block)!, SETTINGS)
      expect(ran).toMatchObject({ code: 0 })
      // The SDK prints its own lines below.
      expect(ran.stdout).toMatch(patternOf(block.shown!))
      // What it made comes last.
      expect(ran.stderr).toMatch(
        /^Hosts that the command called:\n(?: .* answered by the emulator(?:, \d+ of them with an error)?\n)+(?:\d.*\.\n)?$/m,
      )
    })
  }

  const programs = inPython.filter((each) => !isPytest(each) && !interceptedAbove(each))
  for (const block of programs) {
    const python = pythonFor(block)
    it.skipIf(python?.command === undefined)(
      `${block.place} runs, and prints what the page shows`,
      async () => {
        const session = new Session(temporaryFolder(), dirname(python!.command!))
        const { code, stdout, stderr } = await runProgram(session, block, python!)
        expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
        if (/\bprint\(/.test(block.code)) expect(stdout.trim()).not.toBe('')
        if (block.shown === undefined) return
        expect(stdout.trimEnd()).toMatch(new RegExp(`^${patternOf(block.shown).source}$`))
      },
    )
  }
})

/** Returns the Python that has the packages of an example. */
function pythonFor(block: Block): Python | undefined {
  const environment = environmentOf(block, blocks)
  return environment && pythons[environment]
}

/** Writes a test with the fixtures of its page, or fixtures with the tests below them. Returns the number of tests. */
function writeTests(folder: string, block: Block): number {
  const ofPage = inPython.filter(({ file }) => file === block.file)
  const fixtures = ofPage.filter(({ code }) => isConftest(code))
  const below = ofPage.slice(ofPage.indexOf(block) + 1)
  const tests = isConftest(block.code) ? below.filter((each) => isTest(each)) : [block]
  write(folder, 'conftest.py', fixtures.map(({ code }) => code).join('\n\n'))
  for (const { code, name } of ofPage.filter((each) => !isPytest(each))) {
    if (name !== undefined) write(folder, name, code)
  }
  for (const [index, { code, name }] of tests.entries()) {
    write(folder, name ?? `test_${index}.py`, code)
  }
  const functions = tests.flatMap(({ code }) => code.match(/^(?:async )?def test_/gm) ?? [])
  if (functions.length === 0) throw new Error(`${block.place} has fixtures that no test uses.`)
  return functions.length
}

function isTest(block: Block): boolean {
  return isPytest(block) && !isConftest(block.code)
}

/** Runs a program with the emulator that its page starts above, and with the variables that it exports. */
async function runProgram(
  session: Session,
  block: Block,
  { copy }: Python,
): ReturnType<Session['run']> {
  if (usesPackage(block)) {
    write(session.folder, 'program.py', block.code)
    return session.run('python program.py', {
      ...SETTINGS,
      PYTHONPATH: join(root, 'python', 'src'),
      SVTRAIN_EMULATOR_BIN: join(root, 'bin', 'svtrain-emulator.js'),
    })
  }
  const start = startAbove(block, blocks, 'emulator')
  const isTimed = start.args.some((arg) => ['--clock', '--speed'].includes(arg))
  await session.start(start, isTimed ? [] : ['--speed', '100'])
  write(session.folder, 'program.py', session.here(block.code))
  const exported = Object.entries(exportsAbove(block, blocks))
  const variables = exported.map(([name, value]) => [name, session.here(value)])
  const words = ['python', ...copy.map((word) => `'${word}'`), 'program.py']
  const ran = await session.run(words.join(' '), {
    ...SETTINGS,
    ...(Object.fromEntries(variables) as Record<string, string>),
  })
  expect(session.printed).not.toContain(FINDING)
  await session.stop()
  return { ...ran, stdout: session.onPage(ran.stdout) }
}
