/**
 * Measures what people wait for who test with the emulator: one more test, a suite of 500 tests, the import in a
 * runner, and the first `npx`. The package is installed as it is published.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { preparePythons } from '../interop/python.js'
import type { Settings } from './settings.js'
import { figureOf, type Row, type Table } from './table.js'

/** Times of a command, in milliseconds. */
interface Took {
  wall: number
  /** Of a processor. */
  used: number
}

const root = join(import.meta.dirname, '..', '..')
const TESTS = 500
const FILES = 50
/** Their difference is the cost of one more test in pytest. */
const FEW = 1
const MANY = 101

export async function whatUsersFeel(folder: string, settings: Settings): Promise<Table[]> {
  const project = join(folder, 'project')
  const tarball = packed(folder)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private": true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, tarball], { cwd: project, stdio: 'ignore' })
  for (const name of ['vitest', 'express', 'msw']) link(project, name)
  return [
    suites(project, settings),
    imports(project, settings),
    firstNpx({ folder, tarball }, settings),
    ...(await inPytest(folder, settings)),
  ]
}

/** Our package as it is published. Returns its path. */
function packed(folder: string): string {
  // The script of the package removes what earlier builds left in the folder.
  const flags = ['--json', '--loglevel=error', `--pack-destination=${folder}`]
  const told = execFileSync('npm', ['pack', ...flags], { encoding: 'utf8' })
  const [{ filename }] = JSON.parse(told) as [{ filename: string }]
  return resolve(folder, filename)
}

/** Lets the project use a package of ours. What the package needs itself is installed. */
function link(project: string, name: string): void {
  const to = join(project, 'node_modules', name)
  const from = join(root, 'node_modules', name)
  try {
    symlinkSync(from, to, 'dir')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
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
function suites(project: string, settings: Settings): Table {
  const rows = Object.entries(KINDS).map(([name, { head, test }], kind) => {
    const folder = join(project, `suite-${kind}`)
    mkdirSync(folder)
    const perFile = TESTS / FILES
    for (let file = 0; file < FILES; file++) {
      const tests = Array.from({ length: perFile }, (_, index) => test(`test ${index}`))
      writeFileSync(join(folder, `${file}.test.ts`), [head, STEP, ...tests].join('\n'))
    }
    return { name, folder: `suite-${kind}`, took: [] as Took[] }
  })
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs')
  inTurns(settings, rows, ({ folder }) => timed(project, [vitest, 'run', '--dir', folder]))
  return tableOf(
    `A suite of ${TESTS} tests in ${FILES} files, in Vitest`,
    rows,
    'Each test makes a model and a job, polls it to its end, and asserts. Less is better.',
  )
}

function imports(project: string, settings: Settings): Table {
  const names = ['svtrain-emulator', 'svtrain-emulator/msw', 'msw/node', 'express']
  const rows = [
    { name: 'Node alone', program: '', took: [] as Took[] },
    ...names.map((name) => ({
      name: `\`${name}\``,
      program: `await import('${name}')`,
      took: [] as Took[],
    })),
  ]
  inTurns(settings, rows, ({ program }) => timed(project, ['--input-type=module', '-e', program]))
  return tableOf('The import, in a process that does nothing else', rows, 'Less is better.')
}

/** The first run ever, with the download. It says more about the network than about the package. */
function firstNpx(
  { folder, tarball }: { folder: string; tarball: string },
  { rounds }: Settings,
): Table {
  const took: Took[] = []
  for (let round = 0; round < Math.min(3, rounds); round++) {
    const cache = join(folder, `cache-${round}`)
    const flags = ['--yes', '--prefer-online', '--cache', cache, '--package', tarball]
    took.push(timed(folder, [...flags, 'svtrain-emulator', '--version'], 'npx'))
  }
  const rows = [{ name: '`npx svtrain-emulator --version`', took }]
  return tableOf('The first npx, with an empty cache of npm', rows, 'It includes the download.')
}

/** One more test with the fixture of the Python package. */
async function inPytest(folder: string, settings: Settings): Promise<Table[]> {
  const { packageNewest } = await preparePythons()
  if (packageNewest.command === undefined) throw new Error(packageNewest.why)
  const python = packageNewest.command
  const emulator = join(root, 'bin', 'svtrain-emulator.js')
  const source = join(root, 'python', 'src')
  const env = { ...process.env, PYTHONPATH: source, SVTRAIN_EMULATOR_BIN: emulator }
  const rows = [FEW, MANY].map((tests) => {
    const file = join(folder, `test_${tests}.py`)
    const bodies = Array.from(
      { length: tests },
      (_, index) => `def test_${index}(svtrain):\n    assert svtrain.jobs.create("poet")\n`,
    )
    writeFileSync(file, bodies.join('\n'))
    return { name: `${tests} tests`, file, took: [] as Took[] }
  })
  const plugins = ['-p', 'svtrain_emulator.pytest_plugin', '-p', 'no:cacheprovider']
  inTurns(settings, rows, ({ file }) =>
    timed(folder, ['-m', 'pytest', '-q', ...plugins, file], python, env),
  )
  const [few, many] = rows.map(({ took }) => took)
  const each = many!.map(({ wall, used }, round): Took => {
    const { wall: first, used: firstUsed } = few![round]!
    return { wall: (wall - first) / (MANY - FEW), used: (used - firstUsed) / (MANY - FEW) }
  })
  return [
    {
      title: 'In pytest',
      columns: ['wall', 'processor'],
      rows: [
        { name: 'one test, with the start of the emulator', figures: figuresOf(few!) },
        { name: 'each test after it', figures: figuresOf(each) },
      ],
      notes: ['A test makes a model and a job in a world of its own. Less is better.'],
    },
  ]
}

/** Runs all rows in each round. The first round loads the files into the cache of the system. */
function inTurns<Timed extends { took: Took[] }>(
  { rounds }: Settings,
  rows: readonly Timed[],
  run: (row: Timed) => Took,
): void {
  for (let round = 0; round <= rounds; round++) {
    for (const row of rows) {
      const took = run(row)
      if (round > 0) row.took.push(took)
    }
  }
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

function tableOf(
  title: string,
  rows: readonly { name: string; took: Took[] }[],
  note: string,
): Table {
  const [first] = rows
  return {
    title,
    columns: ['wall', 'processor'],
    rows: rows.map(({ name, took }): Row => ({
      name,
      figures: figuresOf(took, took === first!.took ? undefined : first!.took),
    })),
    notes: [note],
  }
}

function figuresOf(took: readonly Took[], beside?: readonly Took[]): Row['figures'] {
  return [
    figureOf(
      took.map(({ wall }) => wall),
      'ms',
      beside?.map(({ wall }) => wall),
    ),
    figureOf(
      took.map(({ used }) => used),
      'ms',
      beside?.map(({ used }) => used),
    ),
  ]
}
