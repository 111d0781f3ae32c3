import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, fetch, type Dispatcher } from 'undici'

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

/** Milliseconds until a call counts as unanswered. */
const PATIENCE = 30_000
/** A shorter run, in minutes, does not fill what is bounded: the journal, the deliveries and the secrets. */
const SHORTEST_JUDGED = 10
/** How much a process may grow after its first half: a share, and some MB for the garbage collector. */
const MOST_GROWTH = 1.25
const MOST_GARBAGE = 20

const command = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')

interface ProcessMade {
  /** A name for findings. */
  name: string
  /** The kinds of calls that it gets. */
  kinds: readonly string[]
  /** How long the run takes. */
  minutes: number
  /** A folder for its ready file. */
  folder: string
}

interface Heard {
  status: number
  text: string
}

interface Call {
  key?: string
  body?: unknown
  /** What leads the call through a proxy. */
  through?: Dispatcher
}

/** A command that is called, and whose memory is sampled. */
export class CalledProcess {
  readonly name: string
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
  /** With `--intercept`: the address of the proxy, and the folder with the certificates to trust. */
  proxy = { url: '', certificates: '' }

  constructor({ name, kinds, minutes, folder }: ProcessMade, args: readonly string[]) {
    this.name = name
    this.answered = new Map(kinds.map((kind) => [kind, 0]))
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

  /** Its exit code. Null: it runs, or a signal ended it. */
  get code(): number | null {
    return this.#child.exitCode
  }

  /** The last that it printed. */
  get output(): string {
    return this.#output
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
        const { proxyUrl: url = '', certificates = '' } = ready
        this.proxy = { url, certificates }
        return
      } catch {
        await pause(20)
      }
    }
    throw new Error(`The ${this.name} did not start:\n${this.#output}`)
  }

  /** Calls it, and reads the whole answer. Any status is an answer. Undefined: there was none. */
  async call(
    kind: string,
    url: string,
    { key: token, body, through = this.#agent }: Call = {},
  ): Promise<Heard | undefined> {
    if (this.hasEnded) return undefined
    this.#calls++
    try {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        dispatcher: through,
      })
      const text = await response.text()
      this.answered.set(kind, this.answered.get(kind)! + 1)
      return { status: response.status, text }
    } catch {
      this.#unanswered++
      return undefined
    }
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Returns its resident memory in MB, and remembers it. Undefined: it could not be read. */
  sample(): number | undefined {
    const used = residentMemory(this.#child.pid)
    if (used !== undefined) this.#memory.push(used)
    return used
  }

  /** How many sockets it has open. Undefined: it could not be read. */
  get sockets(): number | undefined {
    try {
      const folder = `/proc/${this.pid}/fd`
      return readdirSync(folder).filter((name) => isSocket(join(folder, name))).length
    } catch {
      return undefined
    }
  }

  /** Ends it as its user does. Returns its exit code, and the milliseconds that it took. */
  async terminate(): Promise<{ code: number | null; took: number }> {
    this.#isStopping = true
    const began = performance.now()
    this.#child.kill('SIGTERM')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE)
    await this.#exited
    clearTimeout(late)
    return { code: this.#child.exitCode, took: Math.round(performance.now() - began) }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (!this.hasEnded) this.#child.kill('SIGKILL')
    await this.#exited
    await this.#agent.destroy()
  }
}

/** A file may be closed since it was listed. */
function isSocket(file: string): boolean {
  try {
    return readlinkSync(file).startsWith('socket:')
  } catch {
    return false
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
