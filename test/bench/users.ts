/**
 * Measures what people wait for who test with the emulator: a suite of 500 tests in Vitest, and one more test in
 * pytest. The package is installed as it is published.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { preparePythons } from '../interop/python.js'
import { root } from '../support/pages.js'
import type { Settings } from './settings.js'
import { tableOf, type Column, type Table } from './table.js'
import { inTurns } from './turns.js'

/** Times of a command, in milliseconds. */
interface Took {
  wall: number
  /** Of a processor. */
  used: number
}

const TESTS = 500
const FILES = 50
/** Their difference is the cost of one more test in pytest. */
const FEW = 1
const MANY = 101

export async function whatUsersFeel(folder: string, settings: Settings): Promise<Table[]> {
  return [await suites(folder, settings), await inPytest(folder, settings)]
}

/** Installs our package as it is published, in a new project with Vitest. Returns its path. */
function projectIn(folder: string): string {
  // The script of the package removes what earlier builds left in the folder.
  const flags = ['--json', '--loglevel=error', `--pack-destination=${folder}`]
  const told = execFileSync('npm', ['pack', ...flags], { encoding: 'utf8' })
  const [{ filename }] = JSON.parse(told) as [{ filename: string }]
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private": true}')
  const silent = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const options = { cwd: project, stdio: 'ignore' } as const
  execFileSync('npm', ['install', ...silent, resolve(folder, filename)], options)
  const vitest = join('node_modules', 'vitest')
  symlinkSync(join(root, vitest), join(project, vitest), 'dir')
  return project
}

const STEP = `
async function trains({ trainingUrl, apiKey, fetch }) {
  const headers = { authorization: \`Bearer \${apiKey}\`, 'content-type': 'application/json' }
  const call = async (path, body) => (await fetch(trainingUrl + path, {
    headers, ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })).json()
  const model = await call('/preview/models', { project: 'demo', name: 'poet', base_model: 'base' })
  const trajectory_groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
  const job = await call('/preview/training-jobs', { model_id: model.id, trajectory_groups })
  for (;;) {
    const { data } = await call(\`/preview/training-jobs/\${job.id}/events?limit=100\`)
    if (data.some(({ type }) => type === 'training_ended')) return data.length
  }
}`

/** What people write by hand: it answers each call with what the code needs. */
const MOCK = `
function mock() {
  const answer = (body) => new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  return {
    trainingUrl: 'http://mock/v1', apiKey: 'key',
    async fetch(url, { method = 'GET' }) {
      if (url.endsWith('/preview/models') && method === 'POST') return answer({ id: 'model', name: 'poet' })
      if (url.endsWith('/preview/training-jobs') && method === 'POST') return answer({ id: 'job', status: 'queued' })
      return answer({ data: [
        { id: '1', type: 'training_started', data: {} },
        { id: '2', type: 'gradient_step', data: { reward: 0.5 } },
        { id: '3', type: 'training_ended', data: {} },
      ] })
    },
  }
}`

const KINDS: Record<string, { head: string; test: (name: string) => string }> = {
  'a mock made by hand': {
    head: `import { expect, test } from 'vitest'\n${MOCK}`,
    test: (name) =>
      `test('${name}', async () => { expect(await trains(mock())).toBeGreaterThan(2) })`,
  },
  '`createEmulator`, closed at the end': {
    head: `import { expect, test } from 'vitest'\nimport { createEmulator } from 'svtrain-emulator'`,
    test: (name) =>
      `test('${name}', async () => { await using emulator = createEmulator(); expect(await trains(emulator)).toBeGreaterThan(2) })`,
  },
  'the fixture of `svtrain-emulator/vitest`': {
    head: `import { expect, test } from 'svtrain-emulator/vitest'`,
    test: (name) =>
      `test('${name}', async ({ emulator }) => { expect(await trains(emulator)).toBeGreaterThan(2) })`,
  },
}

/** The same tests beside those with a mock. */
async function suites(folder: string, settings: Settings): Promise<Table> {
  const project = projectIn(folder)
  const rows = Object.entries(KINDS).map(([name, { head, test }], kind) => {
    const suite = `suite-${kind}`
    mkdirSync(join(project, suite))
    for (let file = 0; file < FILES; file++) {
      const tests = Array.from({ length: TESTS / FILES }, (_, index) => test(`test ${index}`))
      writeFileSync(join(project, suite, `${file}.test.ts`), [head, STEP, ...tests].join('\n'))
    }
    return { name, suite }
  })
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs')
  const took = await inTurns(rows, settings, ({ suite }) =>
    timed(project, [vitest, 'run', '--dir', suite]),
  )
  const title = `A suite of ${TESTS} tests in ${FILES} files, in Vitest`
  const note =
    'Each test makes a model and a job, polls it to its end, and asserts. Less is better.'
  return tableOf(
    title,
    rows,
    columnsOf((row) => took.get(row)!),
    { notes: [note] },
  )
}

/** One more test with the fixture of the Python package. */
async function inPytest(folder: string, settings: Settings): Promise<Table> {
  const { packageNewest } = await preparePythons()
  const { command } = packageNewest
  if (command === undefined) throw new Error(packageNewest.why)
  const emulator = join(root, 'bin', 'svtrain-emulator.js')
  const source = join(root, 'python', 'src')
  const env = { ...process.env, PYTHONPATH: source, SVTRAIN_EMULATOR_BIN: emulator }
  const plugins = ['-p', 'svtrain_emulator.pytest_plugin', '-p', 'no:cacheprovider']
  const took = await inTurns([FEW, MANY], settings, (tests) => {
    const file = join(folder, `test_${tests}.py`)
    const bodies = Array.from(
      { length: tests },
      (_, index) => `def test_${index}(svtrain):\n    assert svtrain.jobs.create("poet")\n`,
    )
    writeFileSync(file, bodies.join('\n'))
    return timed(folder, ['-m', 'pytest', '-q', ...plugins, file], command, env)
  })
  const [few, many] = [took.get(FEW)!, took.get(MANY)!]
  const each = (pick: (took: Took) => number, round: number): number =>
    (pick(many[round]!) - pick(few[round]!)) / (MANY - FEW)
  const rows = [
    { name: 'one test, with the start of the emulator', took: few },
    {
      name: 'each test after it',
      took: few.map((_, round) => ({
        wall: each(({ wall }) => wall, round),
        used: each(({ used }) => used, round),
      })),
    },
  ]
  return tableOf(
    'In pytest',
    rows,
    columnsOf((row) => row.took),
    {
      notes: ['A test makes a model and a job in a world of its own. Less is better.'],
      besideOf: () => undefined,
    },
  )
}

function columnsOf<One>(tookOf: (one: One) => readonly Took[]): Column<One>[] {
  return [
    { name: 'wall', unit: 'ms', valuesOf: (one) => tookOf(one).map(({ wall }) => wall) },
    { name: 'processor', unit: 'ms', valuesOf: (one) => tookOf(one).map(({ used }) => used) },
  ]
}

function timed(
  cwd: string,
  args: readonly string[],
  program = process.execPath,
  env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' },
): Took {
  const start = performance.now()
  // The shell says what the program and the programs that it started used.
  const times = join(cwd, 'times')
  const script = 'TIMEFORMAT="%U %S"; { time "${@:2}" >"$1.log" 2>&1; } 2>"$1"'
  const ended = spawnSync('bash', ['-c', script, 'bash', times, program, ...args], { cwd, env })
  const wall = performance.now() - start
  const [used, log] = [times, `${times}.log`].map((file) => readFileSync(file, 'utf8'))
  if (ended.status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed:\n${log!.slice(-2000)}`)
  const [user, system] = used!.trim().split(' ').map(Number)
  return { wall, used: (user! + system!) * 1000 }
}
