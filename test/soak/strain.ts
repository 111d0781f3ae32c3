import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { Draw } from '../support/draw.js'
import { Ledger } from './ledger.js'

export interface StrainOptions {
  minutes: number
  seed: number
  /** Called with the progress from time to time. */
  progress?: (line: string) => void
}

/** What a process went through. */
export interface Strained {
  calls: number
  unanswered: number
  /** How often it ended by itself. */
  exits: number
  /** The resident memory in MB at the start, in the middle, and at the end. Undefined: it could not be read. */
  start: number | undefined
  middle: number | undefined
  end: number | undefined
  /** What the memory shows. */
  memory: 'flat' | 'grew' | 'not judged: it could not be read' | 'not judged: the run was too short'
}

/** Milliseconds between two samples of the memory. */
const SAMPLED_EVERY = 10_000
/** Milliseconds until a call counts as unanswered. */
const PATIENCE = 30_000
/** How many clients call each process. */
const CLIENTS = 4
/** A shorter run, in minutes, does not fill what is bounded: the journal, the deliveries and the secrets. */
const SHORTEST_JUDGED = 10
/** How much a process may grow after its first half: a share, and some MB for the garbage collector. */
const MOST_GROWTH = 1.25
const MOST_GARBAGE = 20

/** The kinds of calls that each process gets. */
const CALLS = {
  emulator: ['chat', 'models', 'secrets', 'trigger', 'requests', 'deliveries'],
  record: ['chat', 'models'],
} as const

const command = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')

/**
 * Strains an emulator and a recorder with what passes through them: a new key on each call, long chats that are
 * refused, deliveries that are refused, and long secrets.
 */
export class Strain {
  readonly ledger = new Ledger()
  readonly #options: StrainOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'svtrain-strain-'))
  /** Stands for the service and for the receiver of webhooks. It refuses everything, and repeats what it got. */
  readonly #refusing = createServer((request, response) => {
    const { authorization = '' } = request.headers
    request.resume().on('end', () => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `refused ${authorization}` } }))
    })
  })

  constructor(options: StrainOptions) {
    this.#options = options
  }

  /** Returns a row for each process. */
  async run(): Promise<Record<'emulator' | 'record', Strained>> {
    this.#refusing.listen(0, '127.0.0.1')
    await once(this.#refusing, 'listening')
    const { port } = this.#refusing.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const emulator = new StrainedProcess('emulator', this.#options.minutes, this.#folder, [
      `--webhook=${url}/hook`,
    ])
    const recording = join(this.#folder, 'recording')
    const record = new StrainedProcess('record', this.#options.minutes, this.#folder, [
      'record',
      `--to=${recording}`,
      `--training-url=${url}/v1`,
    ])
    try {
      await Promise.all([emulator, record].map((each) => each.ready()))
      await this.#strain(emulator, record)
      for (const each of [emulator, record]) this.#judge(each)
      return { emulator: emulator.strained, record: record.strained }
    } finally {
      await Promise.all([emulator, record].map((each) => each.stop()))
      this.#refusing.closeAllConnections()
      this.#refusing.close()
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  async #strain(emulator: StrainedProcess, record: StrainedProcess): Promise<void> {
    const { minutes, seed, progress = () => {} } = this.#options
    const end = Date.now() + minutes * 60_000
    const isOver = (): boolean => Date.now() >= end
    const sampling = (async () => {
      while (!isOver()) {
        for (const each of [emulator, record]) each.sample()
        const shown = [emulator, record].map((each) => each.line)
        progress(`${Math.ceil((end - Date.now()) / 1000)} s left; ${shown.join('; ')}`)
        await pause(Math.min(SAMPLED_EVERY, Math.max(0, end - Date.now())))
      }
    })()
    const clients = Array.from({ length: CLIENTS }, (_, client) => [
      this.#callEmulator(emulator, new Draw(seed, `emulator ${client}`), isOver),
      this.#callRecorder(record, new Draw(seed, `record ${client}`), isOver),
    ])
    await Promise.all([sampling, ...clients.flat()])
    for (const each of [emulator, record]) each.sample()
  }

  async #callEmulator(on: StrainedProcess, draw: Draw, isOver: () => boolean): Promise<void> {
    const { training, inference } = on.urls
    const control = `${training.replace(/\/v1$/, '')}/_emulator`
    while (!isOver() && !on.hasEnded) {
      await on.call('chat', `${inference}/chat/completions`, {
        key: key(draw),
        body: longChat(draw),
      })
      await on.call('models', `${training}/preview/models?api_key=${key(draw)}`, { key: key(draw) })
      await on.call('secrets', `${control}/secrets`, {
        body: { name: 'CERTIFICATE', value: words(draw, draw.below(40_000) + 1) },
      })
      await on.call('trigger', `${control}/trigger`, {
        body: { event: 'RUN_STATE', state: 'failed' },
      })
      await on.call('requests', `${control}/requests?limit=5`)
      await on.call('deliveries', `${control}/deliveries`)
    }
  }

  async #callRecorder(on: StrainedProcess, draw: Draw, isOver: () => boolean): Promise<void> {
    const { training, inference } = on.urls
    while (!isOver() && !on.hasEnded) {
      await on.call('chat', `${inference}/chat/completions`, {
        key: key(draw),
        body: longChat(draw),
      })
      await on.call('models', `${training}/preview/models?token=${key(draw)}`, { key: key(draw) })
    }
  }

  #judge({ name, strained, answered, why }: StrainedProcess): void {
    const { calls, unanswered, exits, middle, end, memory } = strained
    const met = `the ${name}`
    this.ledger.count(`${name}: calls`, calls)
    if (exits > 0) this.ledger.find('process', `It ended by itself: ${why}`, met)
    if (unanswered > 0) {
      this.ledger.find('answers', `${unanswered} of ${calls} calls had no answer`, met)
    }
    for (const [kind, count] of answered) {
      if (count === 0) this.ledger.find('answers', `No call of the kind ${kind} had an answer`, met)
    }
    if (exits === 0 && memory === 'grew') {
      const text = `It grew from ${middle} MB in the middle to ${end} MB at the end`
      this.ledger.find('memory', text, met)
    }
  }
}

interface Call {
  key?: string
  body?: unknown
}

/** A command that is called, and whose memory is sampled. */
class StrainedProcess {
  readonly name: keyof typeof CALLS
  /** The calls that had an answer, by kind. */
  readonly answered: Map<string, number>
  readonly #minutes: number
  readonly #child: ChildProcess
  readonly #readyFile: string
  readonly #agent = new Agent({ headersTimeout: PATIENCE, bodyTimeout: PATIENCE })
  readonly #memory: number[] = []
  readonly #exited: Promise<unknown>
  #calls = 0
  #unanswered = 0
  #output = ''
  #isStopping = false
  #exits = 0
  urls = { training: '', inference: '' }

  constructor(name: keyof typeof CALLS, minutes: number, folder: string, args: readonly string[]) {
    this.name = name
    this.answered = new Map(CALLS[name].map((kind) => [kind, 0]))
    this.#minutes = minutes
    this.#readyFile = join(folder, `${name}.json`)
    const ports = ['--port=0', '--inference-port=0', `--ready-file=${this.#readyFile}`]
    this.#child = spawn(process.execPath, [command, ...args, ...ports, '--log=silent'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-4000)
      })
    }
    this.#exited = once(this.#child, 'exit').then(() => {
      if (!this.#isStopping) this.#exits++
    })
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** The last lines of a process that ended. */
  get why(): string {
    return this.#output.trim().split('\n').slice(-6).join('\n').slice(-500)
  }

  get line(): string {
    return `${this.name}: ${this.#calls} calls, ${this.#memory.at(-1) ?? '?'} MB`
  }

  get strained(): Strained {
    const at = (share: number): number | undefined => {
      return this.#memory[Math.floor(share * (this.#memory.length - 1))]
    }
    const [middle, end] = [at(0.5), at(1)]
    return {
      calls: this.#calls,
      unanswered: this.#unanswered,
      exits: this.#exits,
      start: at(0),
      middle,
      end,
      memory: this.#judged(middle, end),
    }
  }

  #judged(middle: number | undefined, end: number | undefined): Strained['memory'] {
    if (middle === undefined || end === undefined) return 'not judged: it could not be read'
    if (this.#minutes < SHORTEST_JUDGED) return 'not judged: the run was too short'
    return end <= MOST_GROWTH * middle + MOST_GARBAGE ? 'flat' : 'grew'
  }

  async ready(): Promise<void> {
    while (!this.hasEnded) {
      try {
        const ready = JSON.parse(readFileSync(this.#readyFile, 'utf8')) as Record<string, string>
        this.urls = { training: ready['trainingUrl']!, inference: ready['inferenceUrl']! }
        return
      } catch {
        await pause(20)
      }
    }
    throw new Error(`The ${this.name} did not start:\n${this.#output}`)
  }

  /** Calls it, and reads the whole answer. Any status is an answer. */
  async call(kind: string, url: string, { key: token, body }: Call = {}): Promise<void> {
    if (this.hasEnded) return
    this.#calls++
    try {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        dispatcher: this.#agent,
      })
      await response.text()
      this.answered.set(kind, this.answered.get(kind)! + 1)
    } catch {
      this.#unanswered++
    }
  }

  sample(): void {
    const used = residentMemory(this.#child.pid)
    if (used !== undefined) this.#memory.push(used)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (!this.hasEnded) this.#child.kill('SIGKILL')
    await this.#exited
    await this.#agent.destroy()
  }
}

/** In MB. Undefined if the process is gone, or if the system does not say it. */
function residentMemory(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024)
  } catch {
    return undefined
  }
}

/** A credential as services rotate them: another one on each call. */
function key(draw: Draw): string {
  return words(draw, draw.below(1000) + 40).replaceAll(' ', '')
}

function longChat(draw: Draw): unknown {
  const messages = Array.from({ length: draw.below(5) + 1 }, () => ({
    role: 'user',
    content: words(draw, draw.below(12_000) + 1),
  }))
  return { model: 'm', messages }
}

function words(draw: Draw, length: number): string {
  let text = ''
  while (text.length < length) text += `${draw.below(2 ** 31).toString(36)} `
  return text.slice(0, length)
}
