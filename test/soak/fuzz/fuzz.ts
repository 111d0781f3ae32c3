import { fork } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bundle } from '../bundle.js'
import type { News, Order } from './fuzzed.js'
import { Ledger, type TrialOptions } from '../ledger.js'
import { memoryFolder } from './memory-folder.js'
import { kindNames, shares, type KindName } from './kind.js'

export interface FuzzOptions extends TrialOptions {
  /** The number of inputs of all kinds. */
  readonly count: number
  readonly kinds?: readonly KindName[]
  /** Tries this input of the kinds only. */
  readonly input?: number | undefined
}

/**
 * The longest time of one input in milliseconds. An input that takes longer is tried alone, with more time: a
 * busy machine is not a hang.
 */
const LONGEST = 10_000
const LONGEST_ALONE = 40_000
const CHECKED_EVERY = 250
/** A kind with more findings than that is not worth the time. */
const MOST_FINDINGS = 40
/** How many processes try inputs at a time. */
const PROCESSES = 2
/** The process that tries inputs, in `test/soak`. */
export const FUZZED = 'fuzz/fuzzed.ts'

type Ended = 'done' | 'hung' | 'crashed'

/** Tries inputs of all kinds in processes of their own, and collects those that break a promise. */
export class Fuzz {
  /** Counts what became of the inputs of each kind. */
  readonly ledger = new Ledger()
  readonly #options: FuzzOptions
  readonly #folder = memoryFolder()
  /** The file of the process that tries inputs. */
  #program = ''

  constructor(options: FuzzOptions) {
    this.#options = options
  }

  async run(bundle: Bundle): Promise<void> {
    const { kinds = kindNames } = this.#options
    // The kinds that take longest come first, so that no process is left alone with one of them.
    const waiting = [...kinds]
    const work = async (): Promise<void> => {
      for (let kind = waiting.shift(); kind; kind = waiting.shift()) await this.#try(kind)
    }
    this.#program = bundle.fileOf(FUZZED)
    try {
      await Promise.all(Array.from({ length: PROCESSES }, work))
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  async #try(kind: KindName): Promise<void> {
    const { count, input } = this.#options
    const last = input === undefined ? Math.ceil((count * shares[kind]) / 100) : input + 1
    let from = input ?? 0
    while (from < last && this.ledger.counted(`${kind}: failed`) < MOST_FINDINGS) {
      const attempt = new Attempt(this.#program, this.#order(kind, from, last), this)
      const ended = await attempt.run(LONGEST)
      this.ledger.count('tried', (ended === 'done' ? last : attempt.index + 1) - from)
      if (ended === 'done') return
      if (!attempt.started) {
        const error = `The inputs could not be prepared. ${attempt.stderr}`
        return this.#find(kind, from, error)
      }
      await this.#judge(kind, { index: attempt.index, ended, stderr: attempt.stderr })
      from = attempt.index + 1
    }
  }

  #order(kind: KindName, from: number, to: number): Order {
    return { kind, seed: this.#options.seed, from, to, progress: join(this.#folder, kind) }
  }

  /** A hang counts if the input hangs when it is tried alone, with more time. */
  async #judge(
    kind: KindName,
    { index, ended, stderr }: { index: number; ended: Ended; stderr: string },
  ): Promise<void> {
    const alone = new Attempt(this.#program, this.#order(kind, index, index + 1))
    if (ended === 'hung' && (await alone.run(LONGEST_ALONE)) !== 'hung') {
      this.ledger.count('slow once')
      return
    }
    const error = ended === 'hung' ? `It takes more than ${LONGEST_ALONE} ms.` : stderr.slice(-3000)
    this.#find(kind, index, `The process ${ended}. ${error}`)
  }

  /** @param input - The smallest one that was found. None if it ended its process, or never ended. */
  #find(kind: KindName, index: number, error: string, input = 'none'): void {
    const { seed } = this.#options
    const again = `npm run soak -- --only fuzz --kind ${kind} --seed ${seed} --input ${index}`
    const text = `${error}\n  The input: ${input}\n  Again: ${again}`
    this.ledger.count(`${kind}: failed`)
    this.ledger.find('inputs', text, `${kind} ${index}`)
  }

  hear(kind: KindName, news: News): void {
    if (news.news === 'found') this.#find(kind, news.index, news.error, news.input)
    else if (news.news === 'counted') {
      this.ledger.count(`${kind}: accepted`, news.accepted)
      this.ledger.count(`${kind}: refused`, news.refused)
      this.#options.progress?.(`${kind}: ${news.index + 1} inputs`)
    }
  }
}

/** One process that tries inputs, and the watch over it. */
class Attempt {
  stderr = ''
  /** The index of the current input. */
  index: number
  /** Whether an input was tried. */
  started = false
  readonly #program: string
  readonly #order: Order
  readonly #fuzz: Fuzz | undefined

  constructor(program: string, order: Order, fuzz?: Fuzz) {
    this.#program = program
    this.#order = order
    this.#fuzz = fuzz
    this.index = order.from
  }

  /** Runs until it is done, its process ends, or an input takes too long. */
  async run(longest: number): Promise<Ended> {
    const { kind, progress } = this.#order
    rmSync(progress, { force: true })
    const child = fork(this.#program, {
      // An input that fills the memory ends its process soon. The stack of an error names the sources.
      execArgv: ['--max-old-space-size=700', '--enable-source-maps'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const state = { done: false, exited: false }
    let since = performance.now()
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-6000)
    })
    child.on('message', (news: News) => {
      // An input that failed takes more time, because it is shrunk.
      since = performance.now()
      if (news.news === 'done') state.done = true
      else this.#fuzz?.hear(kind, news)
    })
    const exit = new Promise<void>((resolve) => {
      child.once('close', () => {
        state.exited = true
        resolve()
      })
    })
    child.send(this.#order)
    let seen = ''
    while (!state.exited) {
      await Promise.race([exit, pause(CHECKED_EVERY)])
      const now = existsSync(progress) ? readFileSync(progress, 'utf8') : ''
      this.started ||= now !== ''
      if (now !== seen) {
        seen = now
        since = performance.now()
      } else if (performance.now() - since > (now === '' ? LONGEST_ALONE : longest)) {
        child.kill('SIGKILL')
        await exit
        this.index = Number.parseInt(now, 10) || this.#order.from
        return 'hung'
      }
    }
    if (existsSync(progress)) seen = readFileSync(progress, 'utf8')
    this.started = seen !== ''
    this.index = Number.parseInt(seen, 10) || this.#order.from
    return state.done ? 'done' : 'crashed'
  }
}
