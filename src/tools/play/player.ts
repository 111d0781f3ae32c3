import type { Emulator } from '../../emulator/emulator.js'
import { baseModelIds } from '../../service/scenario/base-models.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import type { Send } from '../../webhooks/sending/transport.js'
import type { WebhookReceiver } from '../../webhooks/sending/webhook-receiver.js'
import type { ModelRecord } from '../../service/engine/model.js'
import type { CheckpointAnswer } from '../../service/contract/checkpoint.js'
import { unappliedTexts } from '../../emulator/testing/unnoticed.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import { Client, type CallResult } from './client.js'
import type { Playground } from './exchange.js'
import { followJob } from './follow-job.js'
import type { PlayedCheckpoint, PlayedJob, PlayEntry, PlayReport } from './report.js'
import { messageGroup, exchangeGroup, TRAINING_DATA, trajectoryGroups } from './submissions.js'
import { remarksOn, type ChatRequest } from './remarks.js'
import { milliseconds } from '../../base/text/duration.js'

type JobOfPlay = Scenario['play']['jobs'][number]

const PROJECT = 'play'

/**
 * Runs the jobs under `play` of the scenario with a client, in virtual time, and reports what the client
 * saw. The clock must be `manual`, and only the player may move it. It stops while `realWork` is under way.
 */
export async function play(
  emulator: Emulator,
  realWork: Playground['realWork'] = { isUnderWay: false },
): Promise<PlayReport> {
  const { name, description } = emulator.scenario
  const report: PlayReport = {
    scenario: { name, description },
    seed: emulator.seed,
    timeline: [],
    jobs: [],
    duplicates: 0,
    unused: [],
  }
  const record = (entry: PlayEntry): void => void report.timeline.push(entry)
  const busy = {
    get isUnderWay() {
      return realWork.isUnderWay || emulator.engine.chat.isLoading
    },
  }
  const client = new Client({ emulator, realWork: busy }, record)
  const unsubscribe = emulator.journal.subscribe((entry) => {
    const { kind } = entry
    const at = client.now()
    if (kind === 'note') record({ kind, at, text: shownEntry(entry).text })
    if (kind === 'delivery') record({ kind, at, delivery: shownEntry(entry) })
    if (kind === 'request' && entry.fault !== undefined) {
      record({ kind: 'note', at, text: shownEntry(entry).detail! })
    }
  })
  // The first request would wait for it in real time, and the client would give up in virtual time.
  await emulator.ready()
  const player = new Player(client, { emulator, report, record })
  for (const job of emulator.scenario.play.jobs) {
    for (let time = 0; time < job.repeat; time++) await player.run(job)
  }
  await client.awaitDeliveries()
  unsubscribe()
  report.unused = unappliedTexts(emulator)
  await emulator.close()
  return report
}

/** Receives the webhooks of a play and accepts all of them. A scenario can still have a receiver that is down. */
export const acceptDelivery: Send = () => Promise.resolve({ status: 200, body: '' })

/** A receiver for the webhooks of a scenario that have no URL. */
export function receiversFor({ webhooks }: Scenario): WebhookReceiver[] {
  const hasOpen = webhooks.some(({ url }) => url === undefined)
  return hasOpen ? [{ url: 'http://receiver.svtrain.test/hook' }] : []
}

interface Stage {
  emulator: Emulator
  report: PlayReport
  record: (entry: PlayEntry) => void
}

class Player {
  readonly #client: Client
  readonly #stage: Stage

  constructor(client: Client, stage: Stage) {
    this.#client = client
    this.#stage = stage
  }

  /** Runs one job: from creating its model to a chat with the trained checkpoint. */
  async run(submitted: JobOfPlay): Promise<void> {
    const client = this.#client
    const { kind, model, after, retry } = submitted
    client.retries = retry
    await this.#wait(milliseconds(after))
    const now = client.now()
    const job: PlayedJob = {
      id: undefined,
      kind,
      model,
      ended: 'refused',
      startedAt: now,
      endedAt: now,
      events: [],
    }
    this.#stage.report.jobs.push(job)
    const created = await this.#createModel(model)
    if (!created.ok) return this.#refuse(job, created.why)
    const record = Object(created.value) as ModelRecord
    job.startedAt = client.now()
    const groups = await this.#trajectories(submitted, record)
    if (!groups) return this.#refuse(job, 'there was no rollout to train on')
    const answered = await this.#submit(submitted, record.id, groups)
    if (!answered.ok) return this.#refuse(job, answered.why)
    job.id = (Object(answered.value) as { id: string }).id
    const nothing = this.#stage.emulator.engine.store.jobs.get(job.id)?.submission.nothingToTrain
    if (nothing !== undefined) job.nothingToTrain = nothing
    await this.#follow(job)
    job.endedAt = client.now()
    const checkpoint = await this.#newestCheckpoint(record)
    if (!checkpoint) return
    job.checkpoint = checkpoint
    await this.#chat(record, checkpoint)
  }

  async #wait(ms: number): Promise<void> {
    if (ms === 0) return
    this.#client.remark(`The client waits ${ms / 1000} s.`)
    await this.#client.sleep(ms)
  }

  #refuse(job: PlayedJob, why: string): void {
    job.reason = why
    job.endedAt = this.#client.now()
    this.#client.remark('The client continues without this job.')
  }

  #createModel(name: string): Promise<CallResult> {
    const [base_model] = baseModelIds(this.#stage.emulator.scenario)
    const body = { project: PROJECT, name, base_model, return_existing: true }
    return this.#client.call({ method: 'POST', path: '/preview/models', body })
  }

  /** Returns rollouts of the newest checkpoint if the scenario asks for them, otherwise invented trajectories. */
  async #trajectories(
    { trajectories, rollout }: JobOfPlay,
    { entity, project, name }: ModelRecord,
  ): Promise<unknown[] | undefined> {
    if (!rollout) return trajectoryGroups(trajectories)
    const artifact = `${this.#stage.emulator.scenario.artifactScheme}:///${entity}/${project}/${name}`
    const model = rollout.step === undefined ? artifact : `${artifact}:step${rollout.step}`
    const { form, calls = form === 'exchanges' ? 'each' : 'one' } = rollout
    const messages = [{ role: 'user', content: rollout.ask }]
    const request = { model, messages, ...rollout.request }
    const chatRequest: ChatRequest = calls === 'one' ? { ...request, n: trajectories } : request
    const chat = () =>
      this.#client.call({ method: 'POST', path: '/chat/completions', body: chatRequest })
    const times = calls === 'one' ? 1 : trajectories
    const answered: CallResult[] = []
    if (calls === 'at_once')
      answered.push(...(await Promise.all(Array.from({ length: times }, chat))))
    else while (answered.length < times) answered.push(await chat())
    const responses = answered.flatMap((each) => (each.ok ? [each.value] : []))
    for (const text of remarksOn(responses, chatRequest)) this.#client.remark(text)
    if (responses.length === 0) return undefined
    const group = form === 'exchanges' ? exchangeGroup : messageGroup
    return [group(responses, { request: chatRequest, messages, reward: rollout.reward })]
  }

  #submit(
    { kind }: JobOfPlay,
    model_id: string,
    trajectory_groups: unknown[],
  ): Promise<CallResult> {
    if (kind === 'sft') {
      const body = { model_id, training_data_url: TRAINING_DATA }
      return this.#client.call({ method: 'POST', path: '/preview/sft-training-jobs', body })
    }
    const body = { model_id, trajectory_groups }
    return this.#client.call({ method: 'POST', path: '/preview/training-jobs', body })
  }

  async #follow(job: PlayedJob): Promise<void> {
    const { report, record } = this.#stage
    await followJob({
      job,
      client: this.#client,
      onEvent(event) {
        job.events.push(event)
        record({ kind: 'event', at: event.at, job, event })
      },
      onDuplicate: () => void report.duplicates++,
    })
  }

  async #newestCheckpoint({ id, name }: ModelRecord): Promise<PlayedCheckpoint | undefined> {
    const path = `/preview/models/${id}/checkpoints?order=desc&limit=1`
    const answered = await this.#client.call({ method: 'GET', path })
    if (!answered.ok) return undefined
    const { data } = Object(answered.value) as { data?: unknown }
    const [newest] = Array.isArray(data) ? (data as (CheckpointAnswer | null)[]) : []
    if (!newest) return undefined
    const { id: checkpointId, step, metrics } = newest
    const checkpoint: PlayedCheckpoint = { id: checkpointId, model: name, step, metrics }
    this.#stage.record({ kind: 'checkpoint', at: this.#client.now(), checkpoint })
    return checkpoint
  }

  async #chat({ entity, project, name }: ModelRecord, { step }: PlayedCheckpoint): Promise<void> {
    const { artifactScheme } = this.#stage.emulator.scenario
    const model = `${artifactScheme}:///${entity}/${project}/${name}:step${step}`
    const body = { model, messages: [{ role: 'user', content: 'What have you learnt?' }] }
    const path = '/chat/completions'
    await this.#client.call({ method: 'POST', host: 'inference', path, body })
  }
}
