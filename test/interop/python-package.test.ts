import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { resultOf, runCopy, runPython, type EnvironmentName, type Python } from './python.js'

/** The Python package: its own tests run on the wheel, on the oldest supported Python, and most on the newest. */

const ROOT = join(import.meta.dirname, '..', '..')
const PACKAGE = join(ROOT, 'python')
const pythons = inject('pythons')

const testFiles = readdirSync(join(PACKAGE, 'tests')).filter((file) => file.startsWith('test_'))
/** What does not depend on Python. The newest one leaves it out, and `Release` runs a test of the plugin on each. */
const onTheOldestOnly = ['test_explore.py', 'test_package.py', 'test_plugin.py', 'test_program.py']
/** A newer Python is stricter about certificates. The oldest runs an intercepted test of the guide, in test_package.py. */
const onTheNewestOnly = ['test_interception.py']

/** Builds the source distribution, and the wheel from it. Returns their paths. */
async function build(command: string): Promise<string[]> {
  const folder = join(import.meta.dirname, '.venv', 'wheel')
  rmSync(folder, { recursive: true, force: true })
  const words = ['-m', 'build', '--no-isolation', '--outdir', folder, PACKAGE]
  const ran = await runPython(command, words)
  if (ran.code !== 0) throw new Error(`The wheel was not built: ${ran.stderr.slice(-2000)}`)
  return readdirSync(folder).map((file) => join(folder, file))
}

const { packageNewest: newest, packageOldest: oldest } = pythons

describe.skipIf(newest.why !== undefined || oldest.why !== undefined)('the Python package', () => {
  let built: readonly string[]

  beforeAll(async () => {
    built = await build(newest.command!)
    const wheel = built.find((file) => file.endsWith('.whl'))!
    for (const { command } of [oldest, newest]) {
      const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--force-reinstall', wheel]
      const ran = await runPython(command!, install)
      if (ran.code !== 0) throw new Error(`The wheel was not installed: ${ran.stderr.slice(-2000)}`)
    }
  }, 300_000)

  // In one process for each Python: its tests share an emulator.
  it.concurrent.each([
    ['oldest', oldest, onTheNewestOnly],
    ['newest', newest, onTheOldestOnly],
  ])('passes its tests on the %s Python', { timeout: 600_000 }, async (_, python, leftOut) => {
    const files = testFiles.filter((file) => !leftOut.includes(file))
    const tests = files.map((file) => join(PACKAGE, 'tests', file))
    const settings = ['-c', join(PACKAGE, 'pyproject.toml'), '--rootdir', PACKAGE]
    const options = ['-p', 'no:cacheprovider', ...settings]
    const ran = await runPython(python.command!, ['-m', 'pytest', ...options, ...tests])
    if (ran.code !== 0) throw new Error(ran.stdout.slice(-20_000) + ran.stderr.slice(-2000))
    expect(ran.stdout).toMatch(/\d+ passed/)
  })

  it.each([
    ['mypy', ['--config-file', 'pyproject.toml', '--no-incremental']],
    ['ruff', ['check', '--no-cache', '.']],
    ['ruff', ['format', '--no-cache', '--check', '.']],
  ])('%s %j finds nothing', async (tool, args) => {
    const program = `import os, runpy, sys; os.chdir(${JSON.stringify(PACKAGE)}); sys.argv[0] = "${tool}"; runpy.run_module("${tool}", run_name="__main__")`
    const ran = await runPython(newest.command!, ['-c', program, ...args])
    expect(ran.stdout + ran.stderr).toMatch(/Success|All checks passed|already formatted/)
    expect(ran.code).toBe(0)
  })

  it('has metadata that the package index accepts', async () => {
    const ran = await runPython(newest.command!, ['-m', 'twine', 'check', '--strict', ...built])
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/PASSED[^]*PASSED/) })
  })

  it('runs without Node on the PATH, in an empty folder', async () => {
    const folder = temporaryFolder()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(join(dirname(newest.command!), 'svtrain-emulator'), join(bin, 'svtrain-emulator'))
    const program = `
import os, subprocess, sys
process = subprocess.Popen(["svtrain-emulator", "--scenario", "failing-job", "--port", "0", "--log", "json"],
  stdout=subprocess.PIPE, cwd=${JSON.stringify(folder)}, env={"PATH": ${JSON.stringify(bin)}})
print(process.stdout.readline().decode())
process.terminate()
sys.exit(process.wait())`
    const ran = await runPython(newest.command!, ['-c', program], { PATH: bin })
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'ready', scenario: 'failing-job' })
  })

  it('names the command and the files that pip installs', async () => {
    const page = join(temporaryFolder(), 'page.html')
    const program = `
from pathlib import Path
from svtrain_emulator import Emulator
with Emulator() as emulator:
    emulator.jobs.create("poet")
    emulator.settle()
    Path(${JSON.stringify(page)}).write_text(emulator.report())`
    expect(await runPython(newest.command!, ['-c', program])).toMatchObject({ code: 0 })
    const shown = readFileSync(page, 'utf8')
    expect(shown).toContain('@pytest.mark.svtrain(&quot;happy-path&quot;, seed=1')
    expect(shown).toContain('svtrain-emulator --scenario happy-path')
    expect(shown).not.toContain('npx')
    const from = ['-m', 'svtrain_emulator', 'scenarios', 'from', page]
    const { stdout } = await runPython(newest.command!, from)
    expect(stdout).toMatch(/^name: page$/m)
    expect(stdout).not.toContain('node_modules')
  })
})

/** The recipe of each client, and the environment with the client. */
const recipes: Readonly<Record<string, EnvironmentName>> = {
  art_backend: 'newest',
  openai_client: 'clients',
  async_openai_client: 'clients',
  litellm_params: 'litellm',
  pydantic_ai_model: 'clients',
  agents_model: 'clients',
  langchain_model: 'clients',
}

describe('the recipes of the Python package', () => {
  it('have a test each', () => {
    const source = readFileSync(join(PACKAGE, 'src', 'svtrain_emulator', 'recipes.py'), 'utf8')
    const names = [...source.matchAll(/^def (\w+)/gm)].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(Object.keys(recipes)))
  })

  const used = new Map<EnvironmentName, Promise<Record<string, Tried>>>()
  for (const [name, environment] of Object.entries(recipes)) {
    const python = pythons[environment]
    it.skipIf(python.why !== undefined)(`${name} works`, async () => {
      if (!used.has(environment)) used.set(environment, useRecipes(python, environment))
      const tried = (await used.get(environment)!)[name]
      if (tried?.error !== undefined) throw new Error(tried.error)
      expect(tried?.answer).toMatch(/\S/)
    })
  }
})

/** What a recipe answered, or why it failed. */
interface Tried {
  answer?: string
  error?: string
}

/** Uses all recipes of an environment in one process. */
async function useRecipes(
  python: Python,
  environment: EnvironmentName,
): Promise<Record<string, Tried>> {
  const names = Object.keys(recipes).filter((name) => recipes[name] === environment)
  const ran = await runCopy(python, [join('clients', 'recipes.py'), ...names], {
    PYTHONPATH: join(PACKAGE, 'src'),
    SVTRAIN_EMULATOR_BIN: join(ROOT, 'bin', 'svtrain-emulator.js'),
  })
  return resultOf(ran)
}
