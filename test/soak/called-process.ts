import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, fetch, type Dispatcher } from 'undici'
import { residentBytesOf } from '../bench/server-process.js'
import { bearer } from '../support/api-client.js'

/** Milliseconds until a call counts as unanswered. */
const PATIENCE = 30_000

const command = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')

/** A command that is called, and whose memory is read. */
export class CalledProcess {
  calls = 0
  unanswered = 0
  /** How often it ended by itself. */
  exits = 0
  readonly #name: string
  readonly #child: ChildProcess
  readonly #readyFile: string
  readonly #agent = new Agent({ headersTimeout: PATIENCE, bodyTimeout: PATIENCE })
  readonly #exited: Promise<unknown>
  #output = ''
  #isStopping = false
  urls = { training: '', inference: '' }
  /** With `--intercept`: the address of the proxy, and the folder with the certificates to trust. */
  proxy = { url: '', certificates: '' }

  /** Starts it. Its ready file is in `folder`. */
  constructor(name: string, folder: string, args: readonly string[]) {
    this.#name = name
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
      if (!this.#isStopping) this.exits++
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
    throw new Error(`The ${this.#name} did not start:\n${this.#output}`)
  }

  /** Reads a URL of it, and the whole answer. Any status is an answer. Undefined: there was none. */
  async get(
    url: string,
    { through = this.#agent }: { through?: Dispatcher } = {},
  ): Promise<{ status: number; text: string } | undefined> {
    if (this.hasEnded) return undefined
    this.calls++
    try {
      const response = await fetch(url, { headers: bearer(), dispatcher: through })
      return { status: response.status, text: await response.text() }
    } catch {
      this.unanswered++
      return undefined
    }
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Its resident memory in MB. Undefined: the process is gone, or the system does not say it. */
  get memory(): number | undefined {
    try {
      return Math.round(residentBytesOf(this) / 2 ** 20)
    } catch {
      return undefined
    }
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
