import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { blocksOf, pageOf, type Block } from '../../test/support/pages.js'
import { train } from '../../test/package/client.js'
import { pathWith, run, usersEnvironment } from './shell.js'
import { oldestNode } from './versions.js'

/** Uses an installed package as its users do. The examples come from the documentation. */

/** A version of Node, with the folder of its program. The folder is undefined for the Node that runs this. */
export interface NodeOf {
  readonly version: string
  readonly bin: string | undefined
}

/**
 * Returns a version of Node: the one that runs this, if it has the right major version, or else one from
 * the npm package `node`. CI runs the newest ones, so this is the oldest one that `engines` allows.
 */
export async function provideNode(wanted: string, engines: string, work: string): Promise<NodeOf> {
  const own = process.versions.node
  if (own === wanted || own.split('.')[0] === wanted) return { version: own, bin: undefined }
  const version = /^\d+$/.test(wanted) ? (oldestNode(engines, Number(wanted)) ?? wanted) : wanted
  const prefix = join(work, `node-${wanted}`)
  await mkdir(prefix, { recursive: true })
  const quietly = ['--no-save', '--no-audit', '--no-fund']
  await run('npm', ['install', '--prefix', prefix, ...quietly, `node@${version}`], prefix)
  const bin = join(prefix, 'node_modules', 'node', 'bin')
  const printed = await run(join(bin, 'node'), ['--print', 'process.versions.node'], prefix)
  return { version: printed.trim(), bin }
}

/** Starts the installed command on free ports, trains with a client, and sees the reason of the failure. */
export async function runMainJob(
  project: string,
  variables: Record<string, string>,
): Promise<string> {
  const args = [
    '--scenario',
    'failing-job',
    '--port',
    '0',
    '--inference-port',
    '0',
    '--speed',
    '10',
    '--log',
    'json',
  ]
  const command = join(project, 'node_modules', '.bin', 'svtrain-emulator')
  const env = { ...usersEnvironment(), ...variables }
  const emulator = spawn(command, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    emulator.once('error', reject)
    emulator.once('close', resolve)
  })
  let errors = ''
  emulator.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  try {
    const lines = createInterface(emulator.stdout)[Symbol.asyncIterator]()
    const first = await Promise.race([lines.next(), ended.then(() => undefined)])
    if (first?.done !== false) throw new Error(`The command did not start:\n${errors}`)
    const { trainingUrl = '', apiKey } = JSON.parse(first.value) as Record<string, string>
    const events = await train(trainingUrl, apiKey)
    const { error_message: reason = '' } = (events.at(-1)?.data ?? {}) as Record<string, string>
    if (!reason.includes('out of memory')) {
      throw new Error(`The job did not fail as it should: ${JSON.stringify(events.at(-1))}`)
    }
  } finally {
    emulator.kill('SIGINT')
  }
  const code = await ended
  if (code !== 0) throw new Error(`The command ended with ${code} after SIGINT:\n${errors}`)
  return 'failed: out of memory'
}

/** Returns the example of a page with a certain text. */
function example(file: string, is: (block: Block) => boolean): string {
  const found = blocksOf(pageOf(file)).find(is)
  if (!found) throw new Error(`${file} has no such example.`)
  return found.code
}

/** Runs a test in TypeScript that creates the emulator in its own process. */
export async function runTest(project: string, variables: Record<string, string>): Promise<string> {
  const files = {
    'src/train.js': example(
      join('docs', 'start', 'vitest.md'),
      ({ name }) => name === 'src/train.js',
    ),
    'test/train.test.ts': example(join('docs', 'how-to', 'node-test.md'), ({ code }) =>
      code.includes("'node:test'"),
    ),
  }
  for (const [path, code] of Object.entries(files)) {
    await mkdir(join(project, dirname(path)), { recursive: true })
    await writeFile(join(project, path), code)
  }
  const manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as object
  await writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, type: 'module' }))
  const args = ['--import', 'tsx', '--test', '--test-reporter', 'tap', 'test/train.test.ts']
  const printed = await run('node', args, project, variables)
  if (!/^# pass 1$/m.test(printed)) throw new Error(`The test did not pass:\n${printed}`)
  return '1 test passed'
}

/** What goes into a virtual environment, and how. */
interface Installation {
  /** The Python of the environment. */
  readonly python: string
  readonly wheel: string
  readonly extra: string
  /** The Python whose pip installs. If it is undefined, the environment has a pip of its own. */
  readonly pip: string | undefined
}

/** Creates a virtual environment with the wheel. Returns the folder of its programs. */
export async function installWheel(
  { python, wheel, extra, pip }: Installation,
  folder: string,
): Promise<string> {
  const without = pip === undefined ? [] : ['--without-pip']
  await run(python, ['-m', 'venv', ...without, folder], dirname(folder))
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  const own = join(programs, 'python')
  const into = pip === undefined ? [] : ['--python', own]
  // The tests compile what they import. To compile all of it takes longer than to install it.
  const quietly = ['--quiet', '--no-compile', '--disable-pip-version-check']
  const install = ['-m', 'pip', ...into, 'install', ...quietly]
  await run(pip ?? own, [...install, `${wheel}${extra}`, 'pytest'], folder)
  return programs
}

/** Runs the first test with pytest with the plugin of the installed wheel. */
export async function runPytest(programs: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const code = example(join('docs', 'start', 'python.md'), ({ language }) => language === 'python')
  await writeFile(join(folder, 'test_first.py'), code)
  const printed = await run(join(programs, 'pytest'), ['-q', '-p', 'no:cacheprovider'], folder)
  if (!/\b1 passed\b/.test(printed)) throw new Error(`The test did not pass:\n${printed}`)
  return '1 test passed'
}

/** Returns what the installed command says is its version. */
export async function printedVersion(
  command: string,
  variables: Record<string, string>,
): Promise<string> {
  return (await run(command, ['--version'], dirname(command), variables)).trim()
}

/** Returns the version that a Python module has. */
export async function moduleVersion(programs: string): Promise<string> {
  const program = 'import svtrain_emulator; print(svtrain_emulator.__version__)'
  return (await run(join(programs, 'python'), ['-c', program], programs)).trim()
}

/** Returns the variables with which npm and the installed command run on a version of Node. */
export function variablesOf({ bin }: NodeOf): Record<string, string> {
  return pathWith(bin)
}
