import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

function open(data: string): Emulator {
  const emulator = createEmulator({ data, clock: 'manual' })
  onTestFinished(() => emulator.close())
  return emulator
}

const base_model = 'example/base-8b-instruct'

/** The bytes at which each line ends, and one byte around each, and the middle of each line. */
function cutsOf(log: Buffer, from: number): number[] {
  const cuts = new Set<number>()
  let start = from
  for (let at = from; at < log.length; at++) {
    if (log[at] !== 10) continue
    for (const cut of [start + 4, (start + at) >> 1, at, at + 1]) cuts.add(cut)
    start = at + 1
  }
  return [...cuts].sort((a, b) => a - b)
}

it('a log that is cut anywhere opens as the last save left it that was written whole', async () => {
  const data = temporaryFolder()
  const file = join(data, 'world.ndjson')
  const emulator = open(data)
  const states: { size: number; state: unknown }[] = []
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    const init = { method, headers, body: JSON.stringify(body) }
    const answer = await emulator.fetch(emulator.trainingUrl + path, init)
    expect(answer.status).toBe(200)
    const size = readFileSync(file).length
    states.push({ size, state: (await emulator.snapshot({ secrets: false })).records })
    return (await answer.json()) as { id: string }
  }
  const { id } = await call('POST', '/preview/models', { project: 'p', name: 'poet', base_model })
  const trajectory_groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
  const job = { model_id: id, trajectory_groups }
  await call('POST', '/preview/training-jobs', job)
  await call('POST', `/preview/models/${id}/log`, { split: 'val', trajectory_groups })
  emulator.clock.advance('3s')
  await call('POST', '/preview/sft-training-jobs', {
    model_id: id,
    training_data_url: 'artifact:///data',
  })
  await call('DELETE', `/preview/models/${id}`, {})

  const log = readFileSync(file)
  const cuts = cutsOf(log, states[0]!.size)
  expect(cuts.length).toBeGreaterThan(40)
  for (const cut of cuts) {
    const left = temporaryFolder()
    writeFileSync(join(left, 'world.ndjson'), log.subarray(0, cut))
    const next = open(left)
    const { records } = await next.snapshot({ secrets: false })
    expect(records).toEqual(states.findLast(({ size }) => size <= cut)!.state)
    await next.close()
  }
})
