/** Creates worlds in this process for measurements. */
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { WrongAnswerError } from './calls.js'
import type { Settings } from './settings.js'
import { figureOf, type Figure } from './table.js'
import { jsonHeaders } from '../support/api-client.js'

export interface Answer {
  id: string
  last_id: string
  has_more: boolean
  data: { id: string }[]
}

/** Creates a world whose jobs take one step per second, `steps` times. */
export function runningWorld(steps: number, options: EmulatorOptions): Emulator {
  const timeline = [
    { event: 'training_started' as const },
    { event: 'gradient_step' as const, every: '1s', count: steps },
    { event: 'training_ended' as const },
  ]
  return createEmulator({ scenario: { name: 'bench', jobs: [{ timeline }] }, ...options })
}

export async function call(
  emulator: Pick<Emulator, 'fetch' | 'trainingUrl'>,
  path: string,
  { method = 'GET', body }: { method?: string; body?: object } = {},
): Promise<Answer> {
  const headers = jsonHeaders('k')
  const init = body && { body: JSON.stringify(body) }
  const response = await emulator.fetch(emulator.trainingUrl + path, { method, headers, ...init })
  if (response.status !== 200) {
    throw new WrongAnswerError(`${method} ${path} gave ${response.status} ${await response.text()}`)
  }
  return (await response.json()) as Answer
}

export async function createModel(emulator: Emulator, name: string): Promise<string> {
  const body = { project: 'bench', name, base_model: 'b', return_existing: true }
  return (await call(emulator, '/preview/models', { method: 'POST', body })).id
}

export async function createJob(emulator: Emulator, model_id: string): Promise<string> {
  const body = { model_id, trajectory_groups: [] }
  return (await call(emulator, '/preview/training-jobs', { method: 'POST', body })).id
}

/** The used memory in bytes, after a garbage collection. */
export function heap(): number {
  if (!globalThis.gc) throw new Error('Start Node with --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Compares each row with the first. */
export function besideFirst(rounds: readonly number[][], unit: string): Figure[] {
  return rounds.map((each, index) => figureOf(each, unit, index === 0 ? undefined : rounds[0]))
}

export function sizesFor({ quick }: Settings, all: readonly number[]): number[] {
  return quick ? all.slice(0, -1) : [...all]
}

export function countOf(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}
