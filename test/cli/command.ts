import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { hashOfSources, readStamp } from '../../.build/stamp.js'

const root = join(import.meta.dirname, '..', '..')

/** Fails if dist/ was not built from the sources as they are now. */
export function assertBuilt(): void {
  if (readStamp()?.sources === hashOfSources()) return
  throw new Error('dist/ was not built from these sources: run `npm run build` first.')
}

export interface CommandOptions {
  env?: Record<string, string>
  cwd?: string
}

interface Waiting {
  until: (command: Command) => boolean
  resolve: () => void
  reject: (error: Error) => void
}

/** The command, running as a process of its own. Ended with the test, if it has not by itself. */
export class Command {
  stdout = ''
  stderr = ''
  /** The exit code, once it has ended; null where a signal ended it. */
  code: number | null | undefined
  readonly process: ChildProcess
  readonly #waiting = new Set<Waiting>()

  constructor(args: readonly string[], { env = {}, cwd = root }: CommandOptions = {}) {
    const script = join(root, 'bin', 'svtrain-emulator.js')
    const { PATH = '' } = process.env
    this.process = spawn(process.execPath, [script, ...args], { cwd, env: { PATH, ...env } })
    this.process.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.#look()
    })
    this.process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
      this.#look()
    })
    this.process.on('close', (code) => {
      this.code = code
      this.#look()
    })
    onTestFinished(async () => {
      if (this.code !== undefined) return
      this.process.kill('SIGKILL')
      await this.ended()
    })
  }

  /** What it says on stdout and stderr, together. */
  get output(): string {
    return this.stdout + this.stderr
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1)
  }

  /** Waits until it has said something that matches; gives the match. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await this.#wait((command) => pattern.test(command.output))
    return pattern.exec(this.output)!
  }

  /** Waits until it has ended; gives the exit code. */
  async ended(): Promise<number | null> {
    await this.#wait((command) => command.code !== undefined)
    return this.code!
  }

  /** Waits for the banner; gives the two base URLs in it. */
  async ready(): Promise<{ training: string; inference: string }> {
    await this.says(/^Ready\./m)
    const url = (name: string): string => new RegExp(`export ${name}=(.*)`).exec(this.stdout)![1]!
    return { training: url('SVTRAIN_BASE_URL'), inference: url('SVTRAIN_INFERENCE_URL') }
  }

  #wait(until: Waiting['until']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ until, resolve, reject })
      this.#look()
    })
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      if (waiting.until(this)) waiting.resolve()
      else if (this.code === undefined) continue
      else waiting.reject(new Error(`It ended with ${this.code}, having said:\n${this.output}`))
      this.#waiting.delete(waiting)
    }
  }
}

/** Starts the command on any free ports. */
export function start(args: readonly string[], options?: CommandOptions): Command {
  return new Command(['--port', '0', '--inference-port', '0', ...args], options)
}

export const authorized = {
  authorization: 'Bearer any-key',
  'content-type': 'application/json',
}

export async function post(url: string, body: unknown): Promise<{ id: string }> {
  const init = { method: 'POST', headers: authorized, body: JSON.stringify(body) }
  return (await fetch(url, init)).json() as Promise<{ id: string }>
}

/** Creates a model and an RL job on it, and gives the job's events so far. */
export async function runJob(training: string, name = 'my-model'): Promise<JobEvent[]> {
  const model = { project: 'my-project', name, base_model: 'example/base-8b-instruct' }
  const { id: model_id } = await post(`${training}/preview/models`, model)
  const messages_and_choices = [{ role: 'user', content: 'Hello' }]
  const trajectory_groups = [{ trajectories: [{ messages_and_choices, reward: 1 }] }]
  const jobs = `${training}/preview/training-jobs`
  const { id } = await post(jobs, { model_id, trajectory_groups })
  const response = await fetch(`${jobs}/${id}/events`, { headers: authorized })
  return ((await response.json()) as { data: JobEvent[] }).data
}

interface JobEvent {
  type: string
  data: Record<string, unknown>
}
