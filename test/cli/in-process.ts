import { runAndTell } from '../../src/cli/main.js'
import type { Settings } from '../../src/cli/options/settings.js'
import type { ProgramContext } from '../../src/cli/program.js'
import { serve } from '../../src/cli/serve.js'
import { terminalOf, type Terminal } from '../../src/cli/terminal.js'
import { COLUMNS_OF_FILES } from '../../src/cli/text-width.js'
import { version } from '../../src/base/text/version.js'
import type { CommandOptions } from './command.js'

/** How a command ended. */
export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs a command to its end in the process of the test, as `Command` runs it in its own. Meanwhile, the test
 * has the folder and the variables of the command. So only one may run at a time.
 */
export async function endedInProcess(
  args: readonly string[],
  { cwd, env = {}, columns }: Surroundings & { columns?: number },
): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  const code = await inSurroundings({ cwd, env }, () => {
    const refuse = () => Promise.reject(new Error(`"${args.join(' ')}" serves the emulator`))
    return runAndTell(args, contextOf(said, { start: refuse, columns }))
  })
  // A process that sets no exit code ends with 0.
  return { code: code ?? 0, ...said }
}

/** An emulator that runs in the process of the test, as the program serves it. */
export interface Served {
  /** What it has printed so far. */
  readonly said: Readonly<Said>
  stop: () => Promise<void>
}

/**
 * Serves the emulator in the process of the test, and returns when it is ready. It has its folder and its
 * variables only while it starts and stops. So files that it uses in between need absolute paths.
 */
export async function serveInProcess(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<Served> {
  const said = { stdout: '', stderr: '' }
  let end: (() => Promise<void>) | undefined
  const code = await inSurroundings(surroundings, () => {
    return runAndTell(
      args,
      contextOf(said, {
        start: async (settings, terminal) => {
          end = await serve(settings, { version, terminal })
        },
      }),
    )
  })
  if (!end) throw new Error(`It ended with ${code}:\n${said.stdout}${said.stderr}`)
  const stop = end
  return { said, stop: () => inSurroundings(surroundings, stop) }
}

type Surroundings = CommandOptions & { cwd: string }

/** Runs a function in a folder, with these variables only. */
async function inSurroundings<Result>(
  { cwd, env = {} }: Surroundings,
  run: () => Promise<Result>,
): Promise<Result> {
  const folder = process.cwd()
  const variables = { ...process.env }
  const { PATH } = process.env
  process.chdir(cwd)
  setVariables({ PATH, ...env })
  try {
    return await run()
  } finally {
    setVariables(variables)
    process.chdir(folder)
  }
}

interface Output {
  start: (settings: Settings, terminal: Terminal) => Promise<void>
  /** The width of the terminal. Undefined: the output goes to files. */
  columns?: number | undefined
}

function contextOf(said: Said, { start, columns }: Output): ProgramContext {
  const streamOf = (name: keyof Said) => streamInto(said, name, columns)
  const terminal = terminalOf(streamOf('stdout'), streamOf('stderr'), process.env)
  return {
    terminal,
    environment: process.env,
    program: 'npx svtrain-emulator',
    version,
    columns: columns ?? COLUMNS_OF_FILES,
    serve: (settings) => start(settings, terminal),
  }
}

type Said = Record<'stdout' | 'stderr', string>

/** A terminal of this width, or a file. */
function streamInto(
  said: Said,
  name: keyof Said,
  columns: number | undefined,
): Parameters<typeof terminalOf>[0] {
  const write = (text: string | Uint8Array): boolean => {
    said[name] += String(text)
    return true
  }
  const isTTY = columns !== undefined
  return { write, isTTY, columns: columns ?? 0, rows: isTTY ? 40 : 0 }
}

/** Replaces all variables of the process. */
function setVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined) process.env[name] = value
  }
}
