import { join } from 'node:path'
import { hashOfSources, readStamp } from '../../.build/stamp.js'
import { RunningProcess } from '../support/running-process.js'
import { apiClient, type ApiClient } from '../support/api-client.js'
import { createModel, startJob } from '../support/trainer.js'

const root = join(import.meta.dirname, '..', '..')

/** Throws if dist/ was not built from the current sources. */
export function assertBuilt(): void {
  if (readStamp()?.sources === hashOfSources()) return
  throw new Error('dist/ was not built from these sources: run `npm run build` first.')
}

export interface CommandOptions {
  env?: Record<string, string>
  cwd?: string
}

/** The command in its own process. */
export class Command extends RunningProcess {
  constructor(args: readonly string[], { env = {}, cwd = root }: CommandOptions = {}) {
    const script = join(root, 'bin', 'svtrain-emulator.js')
    const { PATH } = process.env
    super(process.execPath, [script, ...args], { cwd, env: { PATH, ...env } })
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1)
  }

  /** Waits for the banner, and returns its two base URLs. */
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

/** A client of the training API of a command. */
export function clientAt(trainingUrl: string): ApiClient {
  return apiClient({ trainingUrl, inferenceUrl: trainingUrl, apiKey: 'any-key' })
}

/** Creates a model and an RL job on it, and returns the job's events so far. */
export async function runJob(training: string, name = 'my-model'): Promise<JobEvent[]> {
  const client = clientAt(training)
  const job = await startJob(client, (await createModel(client, name)).id)
  return (await client.get(`/preview/training-jobs/${job}/events`)).body.data
}

interface JobEvent {
  type: string
  data: Record<string, unknown>
}
