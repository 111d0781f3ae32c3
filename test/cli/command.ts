import { join } from 'node:path'
import { hashOfSources, readStamp } from '../../.build/stamp.js'
import { RunningProcess } from '../support/running-process.js'

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

/** The program, in a process of its own. */
export class Command extends RunningProcess {
  constructor(args: readonly string[], { env = {}, cwd = root }: CommandOptions = {}) {
    const script = join(root, 'bin', 'svtrain-emulator.js')
    const { PATH } = process.env
    super(process.execPath, [script, ...args], { cwd, env: { PATH, ...env } })
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1)
  }

  /** Waits for the banner; gives the two base URLs in it. */
  async ready(): Promise<{ training: string; inference: string }> {
    await this.says(/^Ready\./m)
    const url = (name: string): string => new RegExp(`export ${name}=(.*)`).exec(this.stdout)![1]!
    return { training: url('SVTRAIN_BASE_URL'), inference: url('SVTRAIN_INFERENCE_URL') }
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
