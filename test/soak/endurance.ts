import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { heapOf, openDashboard } from '../bench/dashboard-page.js'
import { processorTimeOf } from '../bench/server-process.js'
import { median, quantile } from '../bench/statistics.js'
import { jsonHeaders } from '../support/api-client.js'
import { launchChromium, noChromium } from '../support/chromium.js'
import { Draw } from '../support/draw.js'
import { graphql } from '../support/graphql.js'
import { logArtifact, openRun, streamRun } from '../support/platform-client.js'
import { groups } from '../support/trainer.js'
import { CalledProcess } from './called-process.js'
import { Ledger, type TrialOptions } from './ledger.js'

export interface EnduranceOptions extends TrialOptions {
  minutes: number
  /** The file that gets a line with figures each minute. */
  to: string
}

/** Jobs that the emulator keeps, so that the limit is reached in some minutes. */
const KEPT_JOBS = 500
const MINUTE = 60_000
const STEPS = 'steps of training'
/** The part of a run after which memory is compared. */
const WARM = 1 / 3
/**
 * After so many steps of training, all that is limited is full: jobs, samples, deliveries and rows of the meter. Until
 * then training hardly pauses. Otherwise the limits fill as slowly as the machine is busy, and that looks like a leak.
 */
const STEPS_UNTIL_FULL = 20_000
const PAUSE_UNTIL_FULL = 1 / 50
/** A shorter run, in minutes, does not fill it. */
const SHORTEST_JUDGED = 120
/** How much the last tenth of the run may have beside the minutes after that one: a share, and some MB. */
const MOST_GROWTH = 1.1
const MOST_GARBAGE = 10
/** Milliseconds between two rounds of a client. */
const PAUSES = {
  train: 600,
  stream: 900,
  strain: 1000,
  log: 2000,
  look: 5000,
  kill: 15_000,
  fault: 30_000,
}
const PAGES = ['jobs', 'curves', 'models', 'requests', 'timeline', 'deliveries', 'faults']

/**
 * Uses one emulator for hours as a team would: training loops, streams that clients leave, runs and artifacts,
 * faults, webhooks, clients that are killed, and a tab with the dashboard. A recorder stands before it for some calls. Each
 * minute, a line says how much memory and time the emulator takes.
 */
export class Endurance {
  readonly ledger = new Ledger()
  readonly #options: EnduranceOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'svtrain-endurance-'))
  readonly #draw: Draw
  /** A receiver that refuses each fourth delivery. */
  readonly #receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(++this.#received % 4 === 0 ? 503 : 200).end()
    })
  })
  #received = 0
  #process!: CalledProcess
  #recorder!: CalledProcess
  /** Milliseconds of the calls of this minute. */
  #took: number[] = []
  /** MB after each minute. */
  readonly #memory = { emulator: [] as number[], recorder: [] as number[] }

  constructor(options: EnduranceOptions) {
    this.#options = options
    this.#draw = new Draw(options.seed, 'endurance')
  }

  async run(): Promise<void> {
    this.#receiver.listen(0, '127.0.0.1')
    await once(this.#receiver, 'listening')
    const { port } = this.#receiver.address() as AddressInfo
    const started: CalledProcess[] = []
    const start = async (name: string, args: readonly string[]): Promise<CalledProcess> => {
      const process = new CalledProcess(name, this.#folder, args)
      started.push(process)
      await process.ready()
      return process
    }
    const browser = noChromium === undefined ? await launchChromium() : undefined
    try {
      this.#process = await start('emulator', [
        '--clock=auto',
        `--keep-jobs=${KEPT_JOBS}`,
        `--webhook=http://127.0.0.1:${port}/hook`,
      ])
      const { training } = this.#process.urls
      const to = join(this.#folder, 'recording')
      this.#recorder = await start('recorder', [
        'record',
        `--to=${to}`,
        `--training-url=${training}`,
      ])
      await this.#endure(browser)
      this.#judge()
    } finally {
      await browser?.close()
      await Promise.all(started.map((process) => process.stop()))
      this.#receiver.closeAllConnections()
      this.#receiver.close()
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  async #endure(browser: Browser | undefined): Promise<void> {
    const { urls } = this.#process
    const page = browser && (await openDashboard(browser, { url: urls.training }, 'jobs'))
    const end = Date.now() + this.#options.minutes * MINUTE
    const isOver = (): boolean => Date.now() >= end || this.#process.hasEnded
    const each = async (
      kind: keyof typeof PAUSES,
      act: (round: number) => Promise<unknown>,
    ): Promise<void> => {
      for (let round = 1; !isOver(); round++) {
        await act(round).catch((error: unknown) => {
          this.ledger.find('answers', String(error).slice(0, 300), `round ${round} of ${act.name}`)
        })
        const wanted = PAUSES[kind] * (kind === 'train' && !this.#isFull ? PAUSE_UNTIL_FULL : 1)
        await pause(Math.min(wanted, Math.max(0, end - Date.now())))
      }
    }
    await Promise.all([
      this.#tellEachMinute(isOver, page),
      each('train', (round) => this.#train(`poet-${round % 200}`)),
      each('train', (round) => this.#train(`judge-${round}`)),
      each('stream', () => this.#stream()),
      each('strain', () => this.#strain()),
      each('log', (round) => this.#log(`run-${round}`)),
      each('kill', () => this.#killClient()),
      each('fault', () => this.#addFault()),
      ...(page ? [each('look', (round) => look(page, round))] : []),
    ])
  }

  get #isFull(): boolean {
    return (this.ledger.counts.get(STEPS) ?? 0) >= STEPS_UNTIL_FULL
  }

  /** Calls the emulator. Any answer counts, because faults refuse some calls. */
  // oxlint-disable-next-line typescript/no-explicit-any -- The client knows what it asked for.
  async #call(method: string, url: string, body?: unknown, key?: string): Promise<any> {
    const began = performance.now()
    const answer = await this.#answered(() =>
      fetch(url, {
        method,
        headers: jsonHeaders(key),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(MINUTE),
      }).then(async (response) => ({ status: response.status, text: await response.text() })),
    )
    this.#took.push(performance.now() - began)
    if (answer?.status === 500) this.ledger.find('answers', answer.text.slice(0, 300), url)
    return answer && answer.status < 300 && answer.text !== '' ? JSON.parse(answer.text) : undefined
  }

  async #answered<T>(call: () => Promise<T>): Promise<T | undefined> {
    this.ledger.count('calls')
    try {
      return await call()
    } catch (error) {
      this.ledger.count('without an answer')
      const { message, cause } = error as Error
      this.ledger.find('answers', `no answer: ${message} (${String(cause)})`, 'a call')
      return undefined
    }
  }

  /** One step of a training loop, as the SDK makes it. The model is deleted at the end. */
  async #train(name: string): Promise<void> {
    const { training, inference } = this.#process.urls
    const made = { project: 'endurance', name, base_model: 'base', return_existing: true }
    const model = await this.#call('POST', `${training}/preview/models`, made)
    if (!model) return
    const chat = {
      model: `artifact:///${model.entity}/${model.project}/${name}`,
      messages: [{ role: 'user', content: `${name}: what is ${this.#draw.below(1000)}?` }],
    }
    for (let sample = 0; sample < 4; sample++) {
      await this.#call('POST', `${inference}/chat/completions`, chat)
    }
    const submitted = { model_id: model.id, trajectory_groups: groups }
    const job = await this.#call('POST', `${training}/preview/training-jobs`, submitted)
    if (job) await this.#follow(`${training}/preview/training-jobs/${job.id}`)
    await this.#call('GET', `${training}/preview/models/${model.id}/checkpoints`)
    await this.#call('DELETE', `${training}/preview/models/${model.id}`)
    this.ledger.count(STEPS)
  }

  async #follow(job: string): Promise<void> {
    for (let poll = 0, after = ''; poll < 100; poll++) {
      const events = await this.#call('GET', `${job}/events?limit=50${after}`)
      const last = events?.data?.at(-1)
      if (last) after = `&after=${last.id}`
      if (last?.type === 'training_ended' || last?.type === 'training_failed') return
    }
  }

  /** Reads a stream. Two of three clients leave in the middle of it. */
  async #stream(): Promise<void> {
    const leaves = this.#draw.below(3) > 0
    const chat = {
      model: 'base',
      stream: true,
      messages: [{ role: 'user', content: 'Tell a story.' }],
    }
    const leaving = new AbortController()
    await this.#answered(async () => {
      const response = await fetch(`${this.#process.urls.inference}/chat/completions`, {
        method: 'POST',
        headers: jsonHeaders(),
        body: JSON.stringify(chat),
        signal: leaving.signal,
      })
      const reader = response.body!.getReader()
      await reader.read()
      if (!leaves) while (!(await reader.read()).done);
    })
    leaving.abort()
    this.ledger.count(leaves ? 'streams left' : 'streams read')
  }

  /** What must not fill a memory: a new key on each call, long chats that are refused, and long secrets. */
  async #strain(): Promise<void> {
    const words = (length: number): string => {
      let text = ''
      while (text.length < length) text += `${this.#draw.below(2 ** 31).toString(36)} `
      return text.slice(0, length)
    }
    const messages = Array.from({ length: 1 + this.#draw.below(5) }, () => ({
      role: 'user',
      content: words(1 + this.#draw.below(12_000)),
    }))
    for (const { urls } of [this.#process, this.#recorder]) {
      const key = words(40 + this.#draw.below(1000)).replaceAll(' ', '')
      const chat = { model: 'unknown', messages }
      await this.#call('POST', `${urls.inference}/chat/completions`, chat, key)
      await this.#call('GET', `${urls.training}/preview/models?api_key=${key}`, undefined, key)
    }
    const secret = { name: 'CERTIFICATE', value: words(1 + this.#draw.below(40_000)) }
    await this.#call('POST', `${this.#control}/secrets`, secret)
    await this.#call('POST', `${this.#control}/trigger`, { event: 'RUN_STATE', state: 'failed' })
    await this.#call('GET', `${this.#control}/requests?limit=5`)
    await this.#call('GET', `${this.#control}/deliveries`)
    this.ledger.count('rounds of strain')
  }

  get #control(): string {
    return this.#process.urls.training.replace(/\/v1$/, '/_emulator')
  }

  /** Logs a run and an artifact, and deletes both. */
  async #log(name: string): Promise<void> {
    const caller = { emulator: { trainingUrl: this.#process.urls.training }, fetch }
    await this.#answered(async () => {
      await openRun(caller, { name })
      for (let offset = 0; offset < 100; offset += 20) {
        const rows = Array.from({ length: 20 }, (_, row) => ({
          _step: offset + row,
          loss: this.#draw.unit(),
        }))
        await streamRun(caller, name, { offset, rows })
      }
      await streamRun(caller, name, { exitCode: 0 })
      const id = await logArtifact(caller, { name: 'data', content: `${name} `.repeat(1000) })
      await graphql(
        caller,
        `mutation { deleteArtifact(input: { artifactID: "${id}", deleteAliases: true }) { artifact { id } } }`,
      )
      const found = await graphql(
        caller,
        `query { project(name: "verse", entityName: "local-team") { run(name: "${name}") { id } } }`,
      )
      await graphql(
        caller,
        `mutation { deleteRun(input: { id: "${found.data.project.run.id}" }) { clientMutationId } }`,
      )
    })
    this.ledger.count('runs logged')
  }

  /** Starts a client in a process of its own, and kills it in the middle of its calls. */
  async #killClient(): Promise<void> {
    const { training, inference } = this.#process.urls
    const client: ChildProcess = spawn(process.execPath, ['-e', KILLED, training, inference], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await Promise.race([once(client.stdout!, 'data'), pause(10_000)])
    await pause(this.#draw.below(500))
    client.kill('SIGKILL')
    await once(client, 'exit')
    this.ledger.count('clients killed')
  }

  /** Refuses or delays some of the next calls. */
  async #addFault(): Promise<void> {
    const fault = this.#draw.oneOf([
      { fault: 'status', status: 503, calls: 10, match: { operation: '*ChatCompletion*' } },
      { fault: 'status', status: 429, calls: 5, match: { operation: 'createRlTrainingJob' } },
      { fault: 'delay', delay: '200ms', calls: 10 },
    ])
    if (await this.#call('POST', `${this.#control}/faults`, fault))
      this.ledger.count('faults added')
    else this.ledger.find('answers', 'a fault was refused', JSON.stringify(fault))
  }

  async #tellEachMinute(isOver: () => boolean, page?: Page): Promise<void> {
    const { to, progress } = this.#options
    const tell = (line: string): void => {
      appendFileSync(to, `${line}\n`)
      progress?.(line)
    }
    tell('minute    calls  no answer   median ms   p99 ms   memory MB   processor %   tab MB')
    const now = () => ({ at: performance.now(), used: processorTimeOf(this.#process) })
    let before = now()
    for (let minute = 1; !isOver(); minute++) {
      for (let second = 0; second < 60 && !isOver(); second++) await pause(1000)
      if (this.#process.hasEnded) return
      const after = now()
      const busy = ((after.used - before.used) * 100) / (after.at - before.at)
      before = after
      const memory = this.#process.memory ?? NaN
      this.#memory.emulator.push(memory)
      this.#memory.recorder.push(this.#recorder.memory ?? NaN)
      const tab = page && (await heapOf(page)) / 1e6
      const took = this.#took
      this.#took = []
      const at = (part: number): string => {
        return (took.length === 0 ? NaN : quantile(took, part)).toFixed(1)
      }
      const { counts } = this.ledger
      const figures = [
        [minute, 6],
        [counts.get('calls') ?? 0, 9],
        [counts.get('without an answer') ?? 0, 11],
        [at(0.5), 12],
        [at(0.99), 9],
        [memory, 12],
        [busy.toFixed(1), 14],
        [tab?.toFixed(1) ?? 'none', 9],
      ] as const
      tell(figures.map(([figure, width]) => String(figure).padStart(width)).join(''))
    }
  }

  #judge(): void {
    const { minutes } = this.#options
    for (const { hasEnded, why } of [this.#process, this.#recorder]) {
      if (hasEnded) return this.ledger.find('process', `It ended by itself: ${why}`, 'the end')
    }
    if (minutes < SHORTEST_JUDGED) return this.ledger.count('too short to judge memory')
    const tenth = Math.floor(minutes / 10)
    const warm = Math.floor(minutes * WARM)
    for (const [name, memory] of Object.entries(this.#memory)) {
      const before = median(memory.slice(warm, warm + tenth))
      const after = median(memory.slice(-tenth))
      this.ledger.count(`MB of the ${name} from minute ${warm}`, before)
      this.ledger.count(`MB of the ${name} at the end`, after)
      if (after > MOST_GROWTH * before + MOST_GARBAGE) {
        const grew = `It grew from ${before} MB after ${warm} minutes to ${after} MB`
        this.ledger.find('memory', grew, `the ${name}`)
      }
    }
  }
}

/** The program of a client that is killed: chats, streams and lists without a pause. */
const KILLED = `
const [training, inference] = process.argv.slice(1)
const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }
const chat = (stream) => fetch(inference + '/chat/completions', { method: 'POST', headers,
  body: JSON.stringify({ model: 'base', stream, messages: [{ role: 'user', content: 'Hello' }] }) })
for (;;) {
  await Promise.all([chat(true), chat(false), fetch(training + '/preview/base-models', { headers })]
    .map(async (answer) => (await answer).text()))
  console.log('called')
}`

async function look(page: Page, round: number): Promise<void> {
  await page.goto(page.url().replace(/#.*/, `#/${PAGES[round % PAGES.length]}`))
  await page.locator('main').first().waitFor()
}
