import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { magicNames } from '../src/scenario/built-in-scenarios.js'
import { serveOptions } from '../src/cli/options.js'
import { builtInScenarios, createEmulator } from '../src/index.js'
import { fault } from '../src/scenario/schema/faults.js'
import { operations } from '../src/control/table.js'
import { parseScenario } from '../src/scenario/scenario-file.js'
import { checkNames } from '../src/testing/client-checks.js'
import { text } from './cli/parsed.js'
import { createProject } from './support/project.js'
import { blocks, readme } from './support/readme.js'
import { temporaryFolder } from './support/temporary-folder.js'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

/** The first cells of the tables below a heading, without their quotes. */
function firstCells(heading: string): string[] {
  const section = readme.split(/^## /m).find((part) => part.startsWith(heading))!
  return [...section.matchAll(/^\| `([^`]+)` /gm)].map(([, cell]) => cell!)
}

/** Runs a program as a user would who pasted it into a file of their own. */
async function run(program: string, environment: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { cwd: root, env: { ...process.env, ...environment } },
  )
  return stdout
}

const programs = blocks('ts')

function isForVitest(program: string): boolean {
  return program.includes("'svtrain-emulator/vitest'")
}

/** The code of the user in the README's example for Vitest. */
const trainer = `export async function train({ baseUrl, apiKey }) {
  const call = async (path, body) => {
    const answer = await fetch(baseUrl + '/preview/' + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return answer.json()
  }
  const poet = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
  const { id: model_id } = await call('models', poet)
  const trajectory_groups = [{ trajectories: [{ reward: 1 }, { reward: 0.5 }] }]
  const { id } = await call('training-jobs', { model_id, trajectory_groups })
  for (;;) {
    const { status, error_message } = await call('training-jobs/' + id)
    if (status === 'failed') throw new Error(error_message)
    if (status === 'ended') return
  }
}`

async function serving(scenario: string) {
  const emulator = createEmulator({ scenario, clock: 'real', speed: 10 })
  onTestFinished(() => emulator.close())
  await emulator.listen()
  return emulator
}

describe('the README', () => {
  it('lists every operation, and no other', () => {
    const listed = firstCells('Operations')
    const served = operations.filter(({ host }) => host !== 'control')
    expect(listed).toEqual(served.map(({ method, path }) => `${method} ${path}`))
    for (const { id } of served) expect(readme).toContain(`\`${id}\``)
  })

  it('lists every call of the control API, and no other', () => {
    const listed = firstCells('Controlling it from outside')
    const rows = operations.filter(({ host }) => host === 'control')
    expect(listed).toEqual(rows.map(({ method, path }) => `${method} ${path}`))
    for (const { summary } of rows) expect(readme).toContain(summary)
  })

  it('lists every option, and no other', () => {
    expect(firstCells('Options')).toEqual(Object.keys(serveOptions).map((name) => `--${name}`))
  })

  it('lists every scenario in its own words', () => {
    expect(firstCells('Scenarios').sort()).toEqual(builtInScenarios.map(({ name }) => name).sort())
    for (const { description } of builtInScenarios) expect(readme).toContain(description)
  })

  it('lists every magic name and what it does', () => {
    expect(firstCells('Magic model names')).toEqual(magicNames().map(({ name }) => name))
    for (const { effect } of magicNames()) expect(readme).toContain(effect)
  })

  it('lists every fault', () => {
    const section = readme.split(/^## /m).find((part) => part.startsWith('Faults'))!
    const listed = [...section.matchAll(/`([a-z_]+)`(?=[^|\n]*\|[^|]*\|$)/gm)].map(
      ([, name]) => name,
    )
    const known = fault.options.map(({ shape }) => shape.fault.value)
    expect(known.filter((name) => !listed.includes(name))).toEqual([])
  })

  it('names every dependency', () => {
    const named = firstCells('What it is built on')
    expect(named).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
  })

  it('has a first example that runs with the real client and prints what it says', async () => {
    const { trainingUrl, apiKey } = await serving('failing-job')
    const environment = { SVTRAIN_BASE_URL: trainingUrl, SVTRAIN_API_KEY: apiKey }
    expect(await run(blocks('js')[0]!, environment)).toBe(blocks('text')[0])
  })

  it('has a curl example that works', async () => {
    const { trainingUrl } = await serving('happy-path')
    const example = blocks('sh').find((block) => block.includes('curl'))!
    const pasted = example.replace(
      /^export SVTRAIN_BASE_URL=.*$/m,
      `SVTRAIN_BASE_URL=${trainingUrl}`,
    )
    const { stdout } = await promisify(execFile)('sh', ['-c', pasted])
    expect(JSON.parse(stdout)).toMatchObject({ entity: 'local-team', name: 'painter' })
  })

  it('has a curl example that controls the emulator', async () => {
    await using emulator = createEmulator({ clock: 'manual' })
    await emulator.listen()
    const example = blocks('sh').find((block) => block.includes('/_emulator/clock/advance'))!
    const pasted = example
      .replace(/^npx .*$/m, '')
      .replaceAll('http://127.0.0.1:4600', new URL(emulator.trainingUrl).origin)
    await promisify(execFile)('sh', ['-c', pasted])
    expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 10))
    expect(emulator.job()).toMatchObject({ status: 'ended' })
  })

  it('has an example for Vitest that passes', { timeout: 60_000 }, async () => {
    const [example] = programs.filter(isForVitest)
    const project = await createProject()
    onTestFinished(() => project.remove())
    await project.write('src/train.js', trainer)
    await project.write('test/example.test.ts', example!)
    expect(await project.vitest()).toMatch(/Tests +1 passed/)
  })

  it('lists every client check', () => {
    expect(firstCells('In a test').slice(0, checkNames.length)).toEqual(checkNames)
  })

  it('has an example of a wrong signature that prints what the README shows', async () => {
    const example = blocks('sh').find((block) => block.includes('sign '))!
    const command = `"${process.execPath}" "${join(root, 'bin', 'svtrain-emulator.js')}"`
    const pasted = example.replaceAll('npx svtrain-emulator', command)
    const told = await promisify(execFile)('sh', ['-c', pasted], { cwd: temporaryFolder() }).catch(
      (error: unknown) => error,
    )
    const shown = blocks('text').find((block) => block.startsWith('invalid: '))
    expect(told).toMatchObject({ code: 1, stdout: shown })
  })

  it('lists every command', async () => {
    const help = await text('--help')
    const commandNames = [...help.matchAll(/^ {2}svtrain-emulator ([a-z][\w-]*)/gm)].map(
      ([, name]) => name!,
    )
    expect(commandNames).toContain('completion')
    const said = commandNames.filter((name) => {
      return new RegExp(`(?:svtrain-emulator |\`)${name}\\b`).test(readme)
    })
    expect(said).toEqual(commandNames)
  })

  it.each(
    programs
      .filter((program) => !isForVitest(program))
      .map((program) => [program.match(/create[A-Z]\w+\(.*/)![0], program]),
  )('has an example in TypeScript that runs: %s', async (_line, program) => {
    const { code } = await transform(program, { loader: 'ts', target: 'node20' })
    expect(await run(code)).toBe('')
  })

  it('has scenarios that can be used', () => {
    const names = blocks('yaml').map((example) => parseScenario(example, 'README.md').name)
    expect(names.sort()).toEqual(['mine', 'promoted', 'weather'])
  })
})
