import { setTimeout } from 'node:timers/promises'

interface Event {
  id: string
  type: string
  data: Record<string, unknown>
}

/** A client that knows the service and not us: it creates a model and a job, and polls. */
export class Client {
  readonly #baseUrl: string
  readonly #apiKey: string

  constructor({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
    this.#baseUrl = baseUrl
    this.#apiKey = apiKey
  }

  async createJob(): Promise<string> {
    const model = await this.#call<{ id: string }>('POST', '/preview/models', {
      project: 'demo',
      name: 'poet',
      base_model: 'example/base-8b-instruct',
    })
    const messages_and_choices = [
      { role: 'user', content: 'Write a line.' },
      { role: 'assistant', content: 'The quiet river carries no one home.' },
    ]
    const job = await this.#call<{ id: string }>('POST', '/preview/training-jobs', {
      model_id: model.id,
      trajectory_groups: [
        { trajectories: [1, 0.5].map((reward) => ({ messages_and_choices, reward })) },
      ],
    })
    return job.id
  }

  /** Every event of a job, each asked for after the one before, until one that is the last. */
  async eventsUntilOver(jobId: string): Promise<Event[]> {
    const events: Event[] = []
    for (;;) {
      const after = events.length === 0 ? '' : `?after=${events.at(-1)!.id}`
      const path = `/preview/training-jobs/${jobId}/events${after}`
      const { data } = await this.#call<{ data: Event[] }>('GET', path)
      events.push(...data)
      if (/^training_(?:ended|failed)$/.test(events.at(-1)?.type ?? '')) return events
      await setTimeout(100)
    }
  }

  async #call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.json() as Promise<Answer>
  }
}
