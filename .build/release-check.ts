/**
 * Checks everything that a release needs: builds the npm tarball and the Python wheel, installs both in
 * empty folders, uses them, and looks at contents, licenses, versions and changelog. It publishes nothing.
 */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { findPython } from '../test/interop/find-python.js'
import { checkChangelog } from './release/changelog.js'
import {
  attempt,
  checked,
  formatChecks,
  isReady,
  resultOf,
  skipped,
  type Check,
} from './release/check.js'
import { checkContents, NPM, refusedLicenses, WHEEL } from './release/contents.js'
import {
  buildWheel,
  installedPackages,
  installTarball,
  pack,
  readTarball,
  readWheel,
  sizeOf,
  versionOfWheel,
} from './release/packages.js'
import { checkPublisher, readPublisher } from './release/publisher.js'
import {
  installWheel,
  moduleVersion,
  printedVersion,
  provideNode,
  runMainJob,
  runPytest,
  runTest,
  variablesOf,
} from './release/runs.js'
import {
  compileTypes,
  NEWEST_TYPESCRIPT,
  OLDEST_TYPESCRIPT,
  writeStrictConsumer,
} from './release/types.js'
import { checkEngines, checkVersions } from './release/versions.js'
import { root } from './stamp.js'

const HELP = `npm run release:check -- [options]

Checks everything that a release needs, and prints what to do. It publishes nothing.

  --allow-unreleased   accept that the newest section of CHANGELOG.md is "Unreleased", and placeholders
  --node 20,22,24,26   versions of Node to run the npm package on
  --python 10,11,12,13 minor versions of Python to run the wheel on; "none" leaves the wheel out
  --tarball <file>     check this tarball, and do not build one
  --json               print the result as JSON

Exit code: 1 if a check fails, 2 if an option is wrong.`

/** The versions of Node and Python that the packages are for. */
const NODES = '20,22,24,26'
const PYTHONS = '10,11,12,13'

const AGAIN = 'Repeat it by hand in an empty folder. Then correct the package, and run this again.'

interface Options {
  allowUnreleased: boolean
  nodes: readonly string[]
  pythons: readonly number[]
  tarball: string | undefined
  json: boolean
}

const options = readOptions()
if (options) process.exitCode = await main(options)

/** Returns the options, or undefined if the program ends here. */
function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        'allow-unreleased': { type: 'boolean', default: false },
        node: { type: 'string', default: NODES },
        python: { type: 'string', default: PYTHONS },
        tarball: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(`${HELP}\n`)
      return undefined
    }
    return {
      allowUnreleased: values['allow-unreleased'],
      nodes: listed('--node', values.node, /^\d+(?:\.\d+\.\d+)?$/),
      pythons:
        values.python === 'none' ? [] : listed('--python', values.python, /^\d+$/).map(Number),
      tarball: values.tarball,
      json: values.json,
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}\n`)
    process.exitCode = 2
    return undefined
  }
}

function listed(name: string, text: string, form: RegExp): string[] {
  const values = text.split(',').map((each) => each.trim())
  const wrong = values.find((each) => !form.test(each))
  if (wrong === undefined) return values
  throw new Error(`"${wrong}" in ${name} is not a version. Write versions with commas: ${NODES}`)
}

/** Runs all checks and prints them. Returns the exit code. */
async function main({ json, ...rest }: Options): Promise<number> {
  const work = await mkdtemp(join(tmpdir(), 'svtrain-release-'))
  process.once('SIGINT', () => process.exit(130))
  try {
    const checks = await checkAll(rest, work)
    const ready = isReady(checks)
    const report = {
      ready,
      version: manifest.version,
      checks: checks.map((check) => ({ ...check, result: resultOf(check) })),
    }
    process.stdout.write(`${json ? JSON.stringify(report, null, 2) : formatChecks(checks)}\n`)
    return ready ? 0 : 1
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function checkAll(settings: Omit<Options, 'json'>, work: string): Promise<Check[]> {
  const { allowUnreleased, nodes, pythons } = settings
  const { version, engines } = manifest
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  const named = new Map([['package.json', version]])
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  named.set('package-lock.json', lock.version)
  named.set('package-lock.json, packages', lock.packages[''].version)
  const ours = join('python', 'src', 'svtrain_emulator', '_version.py')
  const [, inPython = ''] =
    /__version__ = "(.*)"/.exec(await readFile(join(root, ours), 'utf8')) ?? []
  named.set(ours, inPython)

  say('Packing the npm package')
  const tarball = settings.tarball ?? (await pack(work))
  const files = await readTarball(tarball, join(work, 'tarball'))
  const packed = JSON.parse(files.get('package.json')?.toString() ?? '{}') as { version?: string }
  named.set('the tarball', packed.version ?? '')
  const contents = checkContents('npm', { files, bytes: await sizeOf(tarball) }, NPM)

  say(`Installing it, and running it on Node ${nodes.join(', ')}`)
  const ran = new Map<string, string>()
  const installed = installTarball(tarball, work)
  const checkInstalls = checkInstalled(installed)
  const checkNodes = Promise.all(
    nodes.map((wanted) => checkOnNode({ wanted, installed, work, ran, named })),
  )
  // They wait for registries and for each other's processes most of the time.
  const [installs, onNode, types, onPython] = await Promise.all([
    checkInstalls,
    checkNodes,
    Promise.all([checkInstalls, checkNodes]).then(([checks]) => {
      return isReady(checks) ? installed.then((project) => checkTypes(project, work)) : []
    }),
    checkOnPython({ pythons, work, named }),
  ])
  const versions = nodes.flatMap((wanted) => ran.get(wanted) ?? [])
  return [
    checkVersions(named),
    checkPublisher(readPublisher(), { allowUnreleased }),
    ...checkChangelog(changelog, version, { allowUnreleased }),
    ...contents,
    ...installs,
    // Without an installation, all of them would have its problem.
    ...(isReady(installs) ? onNode.flat() : []),
    checkEngines(engines.node, versions, nodes.join(',') === NODES),
    ...types,
    ...onPython,
  ]
}

interface Lock {
  readonly version: string
  readonly packages: { readonly '': { readonly version: string } }
}

/** Checks the installation of the tarball in an empty folder, and what it brought along. */
async function checkInstalled(installed: Promise<string>): Promise<Check[]> {
  const checks: Check[] = []
  const installs = await attempt('npm: installs', AGAIN, async () => {
    const packages = await installedPackages(await installed)
    const measured = `${packages.length} installed packages`
    checks.push(checked('npm: installed licenses', measured, refusedLicenses(packages)))
    return 'in an empty folder'
  })
  return [installs, ...checks]
}

/** Uses a copy of the installation on a version of Node: npm writes the same files on each. */
async function checkOnNode({
  wanted,
  installed,
  work,
  ran,
  named,
}: {
  wanted: string
  /** The project with the tarball. */
  installed: Promise<string>
  work: string
  /** Gets the version of Node. */
  ran: Map<string, string>
  /** Gets the version that the command prints. */
  named: Map<string, string>
}): Promise<Check[]> {
  const project = join(work, `project-${wanted}`)
  let variables: Record<string, string> = {}
  let name = `Node ${wanted}`
  const provided = await attempt(`${name}: is there`, AGAIN, async () => {
    const node = await provideNode(wanted, manifest.engines.node, work)
    name = `Node ${node.version}`
    variables = variablesOf(node)
    await cp(await installed, project, { recursive: true, verbatimSymlinks: true })
    ran.set(wanted, node.version)
    return node.bin === undefined ? 'this Node' : 'from the npm package "node"'
  })
  const there = { ...provided, name: `${name}: is there` }
  if (!isReady([provided])) return [there]
  const job = await attempt(`${name}: main job`, AGAIN, () => runMainJob(project, variables))
  const test = await attempt(`${name}: test in TypeScript`, AGAIN, () =>
    runTest(project, variables),
  )
  const command = join(project, 'node_modules', '.bin', 'svtrain-emulator')
  named.set(`--version on ${name}`, await printedVersion(command, variables).catch(String))
  return [there, job, test]
}

/** Compiles a strict project with the oldest and the newest TypeScript. */
async function checkTypes(project: string, work: string): Promise<Check[]> {
  const todo =
    'Change the exported types, or raise the oldest TypeScript in .build/release/types.ts.'
  const checks: Check[] = []
  await writeStrictConsumer(project)
  for (const typescript of [OLDEST_TYPESCRIPT, NEWEST_TYPESCRIPT]) {
    say(`Compiling against its types with TypeScript ${typescript}`)
    const name = `types: TypeScript ${typescript}`
    checks.push(await attempt(name, todo, () => compileTypes(project, typescript, work)))
  }
  return checks
}

/** Builds the wheel, installs it for each version of Python, and uses it. */
async function checkOnPython({
  pythons,
  work,
  named,
}: {
  pythons: readonly number[]
  work: string
  named: Map<string, string>
}): Promise<Check[]> {
  if (pythons.length === 0) return [skipped('wheel', 'left out: --python none')]
  const found = await Promise.all(
    pythons.map(async (minor) => ({ minor, python: await findPython(minor, minor) })),
  )
  const oldest = found.find(({ python }) => python !== undefined)
  const newest = found.findLast(({ python }) => python !== undefined)
  if (!newest?.python) {
    const problem = `None of Python 3.${pythons.join(', 3.')} was found with venv.`
    const todo = 'Install one, or set SVTRAIN_PYTHON. To leave the wheel out: --python none.'
    return [checked('wheel', 'no Python', [{ problem, todo }])]
  }
  const { command } = newest.python
  say('Building the wheel')
  let wheel = ''
  const checks: Check[] = []
  const built = await attempt(
    'wheel: builds',
    'Run `npm ci`, then `npm run build:python`.',
    async () => {
      wheel = await buildWheel(command, work)
      const files = await readWheel(command, wheel, join(work, 'wheel-files'))
      checks.push(...checkContents('wheel', { files, bytes: await sizeOf(wheel) }, WHEEL))
      named.set('the wheel', versionOfWheel(wheel))
      return `Python ${newest.python!.version}`
    },
  )
  checks.unshift(built)
  if (!isReady([built])) return checks
  say(`Running the wheel on Python 3.${found.map(({ minor }) => minor).join(', 3.')}`)
  const onPython = found.map(async ({ minor, python }) => {
    if (!python) return skipped(`Python 3.${minor}`, 'not found')
    // The newest one takes its Node from the package, the others from the PATH.
    const extra = minor === newest.minor ? '[node]' : ''
    // The oldest one installs with its own pip, which is the oldest as well. To give each its own takes longer
    // than to install the wheel.
    const pip = minor === oldest?.minor ? undefined : command
    const folder = join(work, `python-${minor}`)
    let programs = ''
    const node = extra === '' ? 'Node of the PATH' : 'Node of the package'
    return attempt(`Python ${python.version}: pytest`, AGAIN, async () => {
      programs = await installWheel({ python: python.command, wheel, extra, pip }, folder)
      const passed = await runPytest(programs, join(work, `tests-${minor}`))
      named.set(`__version__ on Python 3.${minor}`, await moduleVersion(programs))
      const cli = join(programs, 'svtrain-emulator')
      named.set(`--version on Python 3.${minor}`, await printedVersion(cli, {}))
      return `${passed}, ${node}`
    })
  })
  return [...checks, ...(await Promise.all(onPython))]
}

/** Prints to stderr, because programs read stdout. */
function say(text: string): void {
  process.stderr.write(`${text} …\n`)
}
