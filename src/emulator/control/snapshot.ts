import { restored, snapshot, snapshotQuery, snapshotRequest } from './schemas/snapshot.js'
import { missingSecrets } from '../../service/scenario/missing-secrets.js'
import { toIso } from '../../base/text/iso.js'
import { control } from './row.js'
import { shownUrl } from './shown-url.js'

const takeSnapshot = control({
  id: 'takeSnapshot',
  method: 'GET',
  path: '/_emulator/snapshot',
  summary: 'All records and everything scheduled; `?secrets=false` leaves out secrets',
  // Unlike other calls that only read, it returns API keys and secrets.
  auth: 'control-token',
  query: snapshotQuery,
  response: snapshot,
  run: ({ emulator: world, query }) => world.snapshot(query),
})

const restoreSnapshot = control({
  id: 'restoreSnapshot',
  method: 'PUT',
  path: '/_emulator/snapshot',
  summary: 'Replaces the current state by a snapshot; 400 if the snapshot is wrong',
  refusals: [409],
  body: snapshotRequest,
  response: restored,
  async run({ emulator: world, body }) {
    await world.restoreInSlices(body)
    // Read now: the restore replaced the engine.
    const { engine, seed, webhooks } = world
    engine.journal.note('control: a snapshot replaced the world')
    const jobs = [...engine.store.jobs.values()]
    return {
      scenario: engine.scenario.name,
      seed,
      now: toIso(engine.clock.now()),
      models: [...engine.store.modelStates].length,
      jobs: jobs.length,
      running_jobs: jobs.filter(({ over }) => !over).length,
      secrets_without_value: missingSecrets(webhooks.parts),
      missing_webhooks: webhooks.missing.map(({ name, url }) => {
        return { name, url: url === null ? null : shownUrl(url, webhooks) }
      }),
    }
  },
})

export const snapshotOperations = [takeSnapshot, restoreSnapshot]
