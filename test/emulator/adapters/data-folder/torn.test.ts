import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDataFolder } from '../../../../src/emulator/adapters/data-folder.js'
import { loadedChecks } from '../../../../src/emulator/checks.js'
import { openEmulator } from '../../open-emulator.js'
import { folderInMemory, temporaryFolder } from '../../../support/temporary-folder.js'
import { BASE_MODEL, clientOf, type Answer } from '../../../support/api-client.js'
import { createModel, openWorld } from './world-on-disk.js'

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

it('a log that is cut anywhere opens with the last save that was written completely', async () => {
  const data = temporaryFolder()
  const file = join(data, 'world.ndjson')
  const emulator = openEmulator({ data })
  const states: { size: number; state: unknown }[] = []
  const client = clientOf(emulator)
  const saved = async (called: Promise<Answer>): Promise<Answer> => {
    const answer = await called
    expect(answer.status).toBe(200)
    const size = readFileSync(file).length
    states.push({ size, state: (await emulator.snapshot({ secrets: false })).records })
    return answer
  }
  const model = { project: 'p', name: 'poet', base_model: BASE_MODEL }
  const { id } = (await saved(client.post('/preview/models', model))).body
  const trajectory_groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
  const job = { model_id: id, trajectory_groups }
  await saved(client.post('/preview/training-jobs', job))
  await saved(client.post(`/preview/models/${id}/log`, { split: 'val', trajectory_groups }))
  emulator.clock.advance('3s')
  const sft = { model_id: id, training_data_url: 'artifact:///data' }
  await saved(client.post('/preview/sft-training-jobs', sft))
  await saved(client.delete(`/preview/models/${id}`))

  const log = readFileSync(file)
  const cuts = cutsOf(log, states[0]!.size)
  expect(cuts.length).toBeGreaterThan(40)
  for (const cut of cuts) {
    const left = temporaryFolder()
    writeFileSync(join(left, 'world.ndjson'), log.subarray(0, cut))
    const next = openEmulator({ data: left })
    const { records } = await next.snapshot({ secrets: false })
    expect(records).toEqual(states.findLast(({ size }) => size <= cut)!.state)
    await next.close()
  }
})

it('a log in which a bit of any line has changed is refused, and stays as it is', async () => {
  const data = folderInMemory()
  const emulator = openWorld(data)
  await createModel(emulator, 'poet')
  await emulator.jobs.start({ model: 'poet' })
  await emulator.close()
  const file = join(data, 'world.ndjson')
  const log = readFileSync(file)
  let start = 0
  let lines = 0
  for (let end = log.indexOf(10); end !== -1; end = log.indexOf(10, start)) {
    lines++
    // In the checksum, in the mark, in the record, and in the line break.
    for (const at of [start, start + 8, start + 9, (start + end) >> 1, end - 1, end]) {
      const changed = Buffer.from(log)
      changed[at]! ^= 1 << (at % 7)
      writeFileSync(file, changed)
      expect(() => openDataFolder(data, loadedChecks.loaded)).toThrow(
        expect.objectContaining({ code: 'SVTRAIN_DATA_DAMAGED' }),
      )
      expect(readFileSync(file)).toEqual(changed)
    }
    start = end + 1
  }
  expect(lines).toBeGreaterThan(10)
})
