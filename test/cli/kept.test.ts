import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertBuilt, authorized, Command, post, start } from './command.js'
import { temporaryFolder } from '../support/temporary-folder.js'

beforeAll(assertBuilt)

const messages_and_choices = [{ role: 'user', content: 'Hello' }]
const trajectory_groups = [{ trajectories: [{ messages_and_choices, reward: 1 }] }]

async function read(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { headers: authorized })
  return { status: response.status, body: await response.json() }
}

/** Submits jobs and polls them until nobody answers any more; notes each id that it was told. */
async function useUntilGone(training: string, told: { models: string[]; jobs: string[] }) {
  const base_model = 'example/base-8b-instruct'
  try {
    for (;;) {
      const name = `model-${told.models.length}`
      const model = await post(`${training}/preview/models`, { project: 'p', name, base_model })
      told.models.push(model.id)
      for (let of = 0; of < 3; of++) {
        const body = { model_id: model.id, trajectory_groups }
        told.jobs.push((await post(`${training}/preview/training-jobs`, body)).id)
        await read(`${training}/preview/training-jobs/${told.jobs.at(-1)}/events`)
      }
    }
  } catch {
    // It was killed.
  }
}

describe('a world that is kept', { timeout: 120_000 }, () => {
  it('has all that a client was told of, however often it was killed', async () => {
    const data = join(temporaryFolder(), 'world')
    const told = { models: [] as string[], jobs: [] as string[] }
    for (const after of [3, 11, 18, 30, 45]) {
      const command = start(['--data', data, '--speed', '20'])
      const { training } = await command.ready()
      const using = useUntilGone(training, told)
      const enough = told.jobs.length + after
      while (told.jobs.length < enough) await read(`${training}/health`)
      command.process.kill('SIGKILL')
      await command.ended()
      await using
    }
    const command = start(['--data', data, '--clock', 'manual'])
    const { training } = await command.ready()
    expect(command.stdout).toMatch(/Resumed +\d+ models, \d+ running jobs?, since /)
    for (const id of told.models) {
      expect(await read(`${training}/preview/models/${id}/checkpoints`)).toMatchObject({
        status: 200,
      })
    }
    await post(`${training.replace('/v1', '')}/_emulator/clock/settle`, {})
    for (const id of told.jobs) {
      const job = await read(`${training}/preview/training-jobs/${id}`)
      expect(job).toMatchObject({ status: 200, body: { id } })
      const events = await read(`${training}/preview/training-jobs/${id}/events?limit=100`)
      const { data: seen } = events.body as { data: { type: string }[] }
      expect(seen.at(-1)?.type).toBe('training_ended')
      expect(seen.filter(({ type }) => type === 'gradient_step').length).toBeGreaterThan(0)
    }
  })

  it('goes on with its scenario and seed, and a snapshot of it elsewhere', async () => {
    const folder = temporaryFolder()
    const [data, file] = [join(folder, 'world'), join(folder, 'snapshot.json')]
    const kept = ['--data', data, '--export-on-exit', file]
    const first = start([...kept, '--scenario', 'failing-job', '--seed', '7'])
    await first.ready()
    first.process.kill('SIGTERM')
    expect(await first.ended()).toBe(0)
    expect(existsSync(file)).toBe(true)
    for (const from of [
      ['--data', data],
      ['--import', file],
    ]) {
      const next = start(from)
      await next.ready()
      expect(next.stdout).toMatch(/Scenario +failing-job/)
      expect(next.stdout).toMatch(/Seed +7/)
      next.process.kill('SIGTERM')
      await next.ended()
    }
    const both = start(['--data', data, '--import', file])
    expect(await both.ended()).toBe(1)
    expect(both.stderr).toMatch(
      /^Failed to import the snapshot: its folder already contains a world\./,
    )
  })

  it('says in one line why it cannot go on', async () => {
    const data = temporaryFolder()
    const running = start(['--data', data])
    await running.ready()
    const second = start(['--data', data])
    expect(await second.ended()).toBe(1)
    expect(second.stderr).toMatch(/^Failed to open .*: process \d+ is using it\..*\n$/)
    running.process.kill('SIGTERM')
    await running.ended()
    const file = join(data, 'world.ndjson')
    const damaged = readFileSync(file, 'utf8').replace('kind', 'kinb')
    writeFileSync(file, damaged)
    const third = start(['--data', data])
    expect(await third.ended()).toBe(1)
    expect(third.stderr).toMatch(/^Failed to read .*: line 1 is damaged.*\n$/)
    expect(readFileSync(file, 'utf8')).toBe(damaged)
    const isolated = new Command(['--data', data, '--isolate', 'api-key'])
    expect(await isolated.ended()).toBe(2)
    expect(isolated.stderr).toMatch(/^--data, --import and --export-on-exit save one world/)
  })
})
