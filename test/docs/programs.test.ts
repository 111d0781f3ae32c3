import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { blocks, here, isScenario, isSupport, isTest, PACKAGES, withPlaces } from './examples.js'
import { patternOf, type Block } from '../support/pages.js'
import { linkPackages } from '../support/project.js'
import { Session, startAbove } from './session.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Every program and every scenario in TypeScript or JavaScript of the documentation, run as a user would. */

/** Runs a program, with the emulator that its page starts above if it calls one. */
async function runProgram(block: Block): Promise<string> {
  const session = new Session(temporaryFolder())
  await linkPackages(session.folder, PACKAGES)
  if (/\b(?:127\.0\.0\.1|localhost):460[01]\b|process\.env\.SVTRAIN_/.test(block.code)) {
    const start = startAbove(block, blocks, 'emulator')
    const isTimed = start.args.some((arg) => ['--clock', '--speed'].includes(arg))
    await session.start(start, isTimed ? [] : ['--speed', '10'])
  }
  const loader = block.language as 'ts' | 'js'
  const { code } = await transform(session.here(block.code), { loader, target: 'node20' })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { cwd: session.folder, env: { ...process.env, ...session.variables } },
  )
  await session.stop()
  return session.onPage(stdout)
}

describe('the programs in TypeScript and JavaScript', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it.each(withPlaces(here.filter(isScenario)))('%s is a scenario', async (_place, block) => {
    const session = new Session(temporaryFolder())
    await linkPackages(session.folder, [])
    writeFileSync(join(session.folder, 'mine.ts'), block.code)
    const { code, stdout, stderr } = await session.runHere(
      'npx svtrain-emulator scenarios check ./mine.ts\nnpx svtrain-emulator play ./mine.ts',
    )
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
  })

  it.each(
    withPlaces(here.filter((block) => !isTest(block) && !isSupport(block) && !isScenario(block))),
  )('%s runs, and prints what the page shows', async (_place, block) => {
    const printed = await runProgram(block)
    if (/\bconsole\.log\(/.test(block.code)) expect(printed.trim()).not.toBe('')
    if (block.shown === undefined) return
    expect(printed.trimEnd()).toMatch(new RegExp(`^${patternOf(block.shown).source}$`))
  })
})
