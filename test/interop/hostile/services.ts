import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createEmulator } from '../../../src/index.js'
import { BYTECODE } from '../python.js'
import { answerOf, type Answer } from '../requests/compare.js'
import { answersOfFramework } from '../requests/framework.js'
import type { GeneratedRequest } from '../requests/recipe.js'
import type { Known } from './request.js'

/** The framework and the emulator on ports and in process, with the same model and the same job. */
export interface Services {
  readonly framework: number
  readonly emulator: number
  readonly known: Known
  /** Asks both without a socket. */
  ask(requests: readonly GeneratedRequest[]): Promise<{ theirs: Answer; ours: Answer }[]>
  close(): Promise<void>
}

/** Starts both. The emulator behaves like the release that the framework has, and its job never ends. */
export async function startServices(python: string): Promise<Services> {
  const scenario = { name: 'hostile', framework: 'fastapi-0.142' } as const
  const emulator = createEmulator({ clock: 'manual', scenario })
  await emulator.listen()
  const known = await createKnown(emulator.trainingUrl)
  const variables = { SVTRAIN_KNOWN: JSON.stringify(known), SVTRAIN_MESSAGE_ARRAYS: 'clients' }
  const framework = spawn(python, ['serve.py'], {
    cwd: join(import.meta.dirname, '..', 'oracle'),
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], PYTHONPYCACHEPREFIX: BYTECODE, ...variables },
  })
  const [port] = (await once(createInterface(framework.stdout), 'line')) as [string]
  return {
    framework: Number(port),
    emulator: Number(new URL(emulator.trainingUrl).port),
    known,
    async ask(requests) {
      const theirs = await answersOfFramework(python, { name: 'hostile', requests, variables })
      const answered: { theirs: Answer; ours: Answer }[] = []
      for (const [index, request] of requests.entries()) {
        answered.push({ theirs: theirs[index]!, ours: await answerOf(emulator, request) })
      }
      return answered
    },
    async close() {
      framework.kill()
      await emulator.close()
    },
  }
}

/** A model without checkpoints, and a job of another model, which waits. */
async function createKnown(url: string): Promise<Known> {
  const call = async (method: string, path: string, body: object): Promise<Created> => {
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    const answer = await fetch(`${url}/preview/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Created
  }
  const create = async (name: string): Promise<Created> =>
    call('POST', 'models', { project: 'known', name, base_model: 'b' })
  const model = await create('model')
  await call('DELETE', `models/${model.id}/checkpoints`, { steps: [0] })
  const other = await create('other')
  const job = await call('POST', 'training-jobs', { model_id: other.id, trajectory_groups: [] })
  return { model: model.id, job: job.id, entity: model.entity }
}

interface Created {
  id: string
  entity: string
}
