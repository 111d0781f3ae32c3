import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

/** How long what was started may take to say what is waited for, in milliseconds. */
const LONGEST_SILENCE = 60_000

/** What a user's own shell would have set, without what npm and the test runner add to it. */
function usersEnvironment(): NodeJS.ProcessEnv {
  const added = /^(?:npm_(?:package|lifecycle|config_local_prefix)|INIT_CWD$|VITEST|NODE_ENV$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)))
}

/** Runs a program to its end and gives what it printed on stdout. A failure tells all it printed. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...usersEnvironment(), ...variables }
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const told = `${program} ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`
    throw new Error(told, { cause: error })
  }
}

/** A command that goes on until it is stopped, and whatever it starts in turn. */
export class Running {
  #said = ''
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  #notify = (): void => {}

  constructor(program: string, args: readonly string[], cwd: string) {
    // A group of its own, so that all of it can be ended together.
    this.#child = spawn(program, args, {
      cwd,
      env: usersEnvironment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const hear = (text: string): void => {
      this.#said += text
      this.#notify()
    }
    this.#child.stdout!.setEncoding('utf8').on('data', hear)
    this.#child.stderr!.setEncoding('utf8').on('data', hear)
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject)
      this.#child.on('close', resolve)
    })
  }

  /** Waits until it has said what the pattern asks for, and gives the match. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const fail = (how: string): never => {
      throw new Error(`It ${how} without saying ${pattern}, having said:\n${this.#said}`)
    }
    const said = new Promise<RegExpExecArray>((resolve) => {
      this.#notify = () => {
        const match = pattern.exec(this.#said)
        if (match) resolve(match)
      }
      this.#notify()
    })
    const ended = this.#ended.then((code) => fail(`ended with ${code}`))
    const late = setTimeout(LONGEST_SILENCE, undefined, { ref: false }).then(() =>
      fail(`ran on for ${LONGEST_SILENCE} ms`),
    )
    return Promise.race([said, ended, late])
  }

  /** Waits for its end and gives its exit code; null where a signal ended it. */
  async ended(): Promise<number | null> {
    return this.#ended
  }

  /** Sends a signal to all of it, as a terminal does with Ctrl-C. If it has ended, nothing happens. */
  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  /** Ends all of it, at once. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.#ended
  }
}
