import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.js'
import { Command } from './command.js'
import { endedInProcess, type Ended } from './in-process.js'

/** A training loop: a model, a job, a chat with the base model, and the wait for the end of the job. */
export const client = `
  const { SVTRAIN_BASE_URL, SVTRAIN_INFERENCE_URL, SVTRAIN_API_KEY } = process.env
  const headers = { authorization: 'Bearer ' + SVTRAIN_API_KEY, 'content-type': 'application/json' }
  async function send(url, body, limit) {
    const signal = AbortSignal.timeout(limit)
    const method = body ? 'POST' : 'GET'
    const response = await fetch(url, { method, headers, body: JSON.stringify(body), signal })
    const text = await response.text()
    if (!response.ok) throw new Error(new URL(url).pathname.split('/')[3] + ' answered ' + response.status)
    return JSON.parse(text)
  }
  const call = (path, body) => send(SVTRAIN_BASE_URL + '/preview/' + path, body, 5000)
  async function retry(task) {
    for (let left = 5; ; left--) {
      try {
        return await task()
      } catch (error) {
        if (left === 0) throw error
      }
    }
  }
  const model = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
  const groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
  const create = (id) => call('training-jobs', { model_id: id, trajectory_groups: groups })
  const messages = [{ role: 'user', content: 'Name a color.' }]
  const ask = (limit) => send(SVTRAIN_INFERENCE_URL + '/chat/completions', { model: model.base_model, messages }, limit)
`

/** Runs a program of Node's by `explore`, in a folder of its own. The command is a process, too. */
export function startExplore(
  program: string,
  options: readonly string[] = [],
): Command & { folder: string } {
  const folder = temporaryFolder()
  return Object.assign(new Command(argumentsFor(program, { folder, options }), { cwd: folder }), {
    folder,
  })
}

/** Runs a program of Node's by `explore` in the process of the test, in a folder of its own. */
export async function explore(
  program: string,
  options: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Ended & { folder: string }> {
  const folder = temporaryFolder()
  const args = argumentsFor(program, { folder, options })
  return { ...(await endedInProcess(args, { cwd: folder, env })), folder }
}

/** Writes a program, and returns the arguments that explore it. */
export function argumentsFor(
  program: string,
  { folder, options }: { folder: string; options: readonly string[] },
): string[] {
  writeFileSync(join(folder, 'loop.mjs'), program)
  return ['explore', ...options, '--', process.execPath, 'loop.mjs']
}

/** A training loop that repeats the creation of a job whenever a call fails. */
export const blindRetry = `${client}
  const { id } = await retry(() => call('models', model))
  await retry(() => create(id))
`
