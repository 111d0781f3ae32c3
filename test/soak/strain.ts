import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Draw } from '../support/draw.js'
import { CalledProcess, type Strained } from './called-process.js'
import { Ledger } from './ledger.js'

export interface StrainOptions {
  minutes: number
  seed: number
  /** Called with the progress from time to time. */
  progress?: (line: string) => void
}

/** Milliseconds between two samples of the memory. */
const SAMPLED_EVERY = 10_000
/** How many clients call each process. */
const CLIENTS = 4
/** The kinds of calls that each process gets. */
const CALLS = {
  emulator: ['chat', 'models', 'secrets', 'trigger', 'requests', 'deliveries'],
  record: ['chat', 'models'],
} as const

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
    const { minutes } = this.#options
    const made = (name: keyof typeof CALLS) => ({
      name,
      kinds: CALLS[name],
      minutes,
      folder: this.#folder,
    })
    const emulator = new CalledProcess(made('emulator'), [`--webhook=${url}/hook`])
    const recording = join(this.#folder, 'recording')
    const record = new CalledProcess(made('record'), [
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

  async #strain(emulator: CalledProcess, record: CalledProcess): Promise<void> {
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

  async #callEmulator(on: CalledProcess, draw: Draw, isOver: () => boolean): Promise<void> {
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

  async #callRecorder(on: CalledProcess, draw: Draw, isOver: () => boolean): Promise<void> {
    const { training, inference } = on.urls
    while (!isOver() && !on.hasEnded) {
      await on.call('chat', `${inference}/chat/completions`, {
        key: key(draw),
        body: longChat(draw),
      })
      await on.call('models', `${training}/preview/models?token=${key(draw)}`, { key: key(draw) })
    }
  }

  #judge({ name, strained, answered, why }: CalledProcess): void {
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
