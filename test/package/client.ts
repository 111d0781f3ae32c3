import { setTimeout } from 'node:timers/promises'
import { apiClient } from '../support/api-client.js'
import { createModel, listEvents, startJob, type Event } from '../support/trainer.js'

/** Creates a model and a job on a server, polls the job to its end, and returns all its events. */
export async function train(trainingUrl: string, apiKey = 'any-key'): Promise<Event[]> {
  const client = apiClient({ trainingUrl, inferenceUrl: trainingUrl, apiKey })
  const job = await startJob(client, (await createModel(client)).id)
  const events: Event[] = []
  for (;;) {
    events.push(...(await listEvents(client, job, events.at(-1)?.id)))
    if (/^training_(?:ended|failed)$/.test(events.at(-1)?.type ?? '')) return events
    await setTimeout(100)
  }
}
