import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import installed from 'typescript/package.json' with { type: 'json' }
import { root } from '../stamp.js'
import { run } from './shell.js'

/** The oldest version of TypeScript that can compile against our types: two years old, as for `@types` packages. */
export const OLDEST_TYPESCRIPT = '5.7.3'

/** The newest one that was tried: that of the project, so that a release of TypeScript does not fail a check. */
export const NEWEST_TYPESCRIPT = installed.version

/** The compiler of this repository checks with four workers. One needs less than half of the processor time. */
export const ONE_CHECKER: readonly string[] = ['--checkers', '1']

/** The packages of this repository. */
const MODULES = join(root, 'node_modules')

/** A program of a user. It has correct types if ours are right. */
export const CONSUMER = `
import { createEmulator, defineScenario, type Listening, type ScenarioInput } from 'svtrain-emulator'
const scenario: ScenarioInput = defineScenario({ name: 'mine', description: 'Mine.' })
const emulator = createEmulator({ scenario, clock: 'manual', seed: 7 })
export const listening: Promise<Listening> = emulator.listen({ port: 0 })
export const at: number = emulator.clock.now()
// @ts-expect-error A missing name must be an error: "any" would hide it.
emulator.nothing()`

/** Entries that need nothing beside the package. */
const ENTRIES = ['client', 'assert', 'explore', 'webhooks']

/** What a project needs to compile against our types in the strictest way. */
export interface Consumer {
  readonly program: string
  readonly module: string
  readonly moduleResolution: string
  readonly skipLibCheck: boolean
}

/** Writes a project that compiles a program. Compile it with `tsc --project .`. */
export async function writeConsumer(folder: string, consumer: Consumer): Promise<void> {
  const { program, module, moduleResolution, skipLibCheck } = consumer
  await writeFile(join(folder, 'consumer.mts'), program)
  const compilerOptions = {
    module,
    moduleResolution,
    target: 'es2022',
    strict: true,
    noEmit: true,
    types: ['node'],
    // Those of the oldest Node that we support, as in a project that installs them.
    typeRoots: [join(MODULES, '@types')],
    skipLibCheck,
    // Those of TypeScript itself are not ours to check.
    skipDefaultLibCheck: true,
  }
  const settings = JSON.stringify({ compilerOptions, files: ['consumer.mts'] })
  await writeFile(join(folder, 'tsconfig.json'), settings)
}

/** Writes a project that compiles against the types of the installed package, and checks these types as well. */
export async function writeStrictConsumer(project: string): Promise<void> {
  const more = ENTRIES.map((entry) => `export * as ${entry} from 'svtrain-emulator/${entry}'`)
  await writeConsumer(project, {
    program: [CONSUMER, ...more].join('\n'),
    module: 'node16',
    moduleResolution: 'node16',
    skipLibCheck: false,
  })
}

/** Compiles a project with a version of TypeScript. */
export async function compileTypes(
  project: string,
  typescript: string,
  work: string,
): Promise<string> {
  const isOurs = typescript === NEWEST_TYPESCRIPT
  const modules = isOurs ? MODULES : await installTypeScript(typescript, work)
  const compiler = join(modules, 'typescript', 'bin', 'tsc')
  const options = isOurs ? ONE_CHECKER : []
  await run(process.execPath, [compiler, '--project', '.', ...options], project)
  const printed = await run(process.execPath, [compiler, '--version'], project)
  return printed.trim().replace(/^Version /, '')
}

/** Returns the folder that holds the package. */
async function installTypeScript(version: string, work: string): Promise<string> {
  const tools = join(work, `typescript-${version}`)
  await mkdir(tools, { recursive: true })
  const quietly = ['--no-save', '--no-audit', '--no-fund']
  await run('npm', ['install', '--prefix', tools, ...quietly, `typescript@${version}`], tools)
  return join(tools, 'node_modules')
}
