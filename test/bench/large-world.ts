/** Writes data folders with many jobs, as an emulator leaves them. */
import { createEmulator, defaultWebhooks } from '../../src/index.js'

export interface LargeWorld {
  jobs: number
  models: number
}

/**
 * Fills a folder with a world: jobs that ended with a checkpoint, one job of each model that still runs, and
 * deliveries up to their limit.
 */
export async function writeLargeWorld(data: string, { jobs, models }: LargeWorld): Promise<void> {
  const parts = defaultWebhooks({ url: 'http://receiver.test/hook', secret: 'a secret' })
  const scenario = { name: 'large', ...parts }
  const send = (): Promise<{ status: number; body: string }> =>
    Promise.resolve({ status: 200, body: 'ok' })
  await using emulator = createEmulator({ data, scenario, clock: 'manual', send })
  await emulator.ready()
  const names = Array.from({ length: models }, (_, index) => `model-${index}`)
  for (const name of names) await emulator.models.create({ name })
  for (let made = 0; made < jobs;) {
    for (const model of names.slice(0, jobs - made)) {
      await emulator.jobs.start({ model })
      made++
    }
    if (made < jobs) emulator.clock.advance('1h')
    await emulator.webhooks.idle()
  }
  emulator.clock.advance('2s')
  await emulator.webhooks.idle()
}
