import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { Draw } from '../../support/draw.js'
import type { Bundle } from '../bundle.js'
import { Ledger, type TrialOptions } from '../ledger.js'
import { acts, type Act, type Client } from './acts.js'
import { Calls, NoAnswer, type Served } from './calls.js'
import { KeptProcess } from './kept-process.js'
import { lookAt } from './look.js'
import { replacements } from './replacements.js'
import { Truth } from './truth.js'

export interface KillsOptions extends TrialOptions {
  kills: number
  /** What clients do, without changes of the whole world. Default: all that is not about runs and artifacts. */
  acts?: Readonly<Record<string, Act>>
}

/** The process that is killed, in `test/soak`. */
export const KEPT = 'kills/kept.ts'

const CLIENTS = 6
/** How long a round waits for its first acknowledged changes, in milliseconds. */
const PATIENCE = 10_000
/** The number of acts in a round that uses only some of them. */
const FEW = 3

/**
 * Kills an emulator repeatedly while clients change everything that can be changed, and compares the
 * acknowledged changes with the state of the next process.
 */
export class Kills {
  readonly ledger = new Ledger()
  readonly #options: KillsOptions
  readonly #truth = new Truth()
  readonly #data = mkdtempSync(join(tmpdir(), 'svtrain-kept-'))
  readonly #draws: Draw
  readonly #receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(request.url === '/gone' ? 410 : 200).end())
  })
  #replacements: Awaited<ReturnType<typeof replacements>> = {}
  #file = ''
  readonly #uploads = new Map<string, string>()
  #unique = 0

  constructor(options: KillsOptions) {
    this.#options = options
    this.#draws = new Draw(options.seed, 'the one who kills')
  }

  async run(bundle: Bundle): Promise<void> {
    this.#file = bundle.fileOf(KEPT)
    this.#replacements = await replacements()
    await new Promise<void>((resolve) => void this.#receiver.listen(0, '127.0.0.1', resolve))
    try {
      // One more start than kills, to check the world after the last kill.
      for (let round = 0; round <= this.#options.kills; round++) {
        this.ledger.round = round
        if (!(await this.#playRound(round))) break
      }
    } finally {
      this.#receiver.close()
      this.#receiver.closeAllConnections()
      rmSync(this.#data, { recursive: true, force: true })
    }
  }

  /** False if the run cannot continue. */
  async #playRound(round: number): Promise<boolean> {
    const { kills, progress } = this.#options
    const mode = round % 4 < 2 ? 'manual' : 'real'
    const process = new KeptProcess(this.#file, [this.#data, mode])
    const agent = new Agent({ connections: 50 })
    try {
      const served = await process.printed<Served>()
      if (!served) return false
      const calls = new Calls({ served, agent, ledger: this.ledger })
      this.#judge(await lookAt(calls))
      if (round === kills) return false
      await this.#load(calls, round, process)
      this.ledger.count('kills')
      progress?.(this.#told())
      return true
    } finally {
      await process.kill()
      await agent.destroy()
      if (process.stderr !== '') this.ledger.find('process', process.stderr, 'the process')
    }
  }

  #judge(found: ReadonlyMap<string, unknown>): void {
    const { checked, losses } = this.#truth.judge(found)
    this.ledger.count('things compared', checked)
    this.ledger.count('losses', losses.length)
    for (const loss of losses) this.ledger.find('kept', loss, `seed ${this.#options.seed}`)
  }

  /** Runs clients until the process is killed. */
  async #load(calls: Calls, round: number, process: KeptProcess): Promise<void> {
    const { chosen, replacing } = this.#plan(round)
    const clients = Array.from({ length: CLIENTS }, (_, index) => this.#client(calls, round, index))
    const done = new Set<string>()
    const over = new AbortController()
    const attempt = async (client: Client, [name, deed]: NamedDeed): Promise<void> => {
      const { age } = this.#truth
      const before = this.#acknowledged(name)
      try {
        await deed(client)
        if (this.#acknowledged(name) > before) done.add(name)
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        // A reset breaks off the running calls of the training API.
        if (over.signal.aborted || this.#truth.isOtherThan(age)) return
        this.ledger.find('answers', error.message, client.who)
      }
    }
    const play = async (client: Client): Promise<void> => {
      while (!over.signal.aborted) await attempt(client, client.draws.oneOf(chosen))
    }
    const conduct = async (client: Client): Promise<void> => {
      for (const deed of replacing) {
        await pause(client.draws.below(20))
        if (!over.signal.aborted) await attempt(client, deed)
      }
    }
    const playing = [...clients.map(play), conduct(this.#client(calls, round, CLIENTS))]
    const enough = 10 + this.#draws.below(30)
    const isEnough = (): boolean => {
      const few = chosen.length <= FEW ? [...chosen, ...replacing] : []
      return calls.answered >= enough && few.every(([name]) => done.has(name))
    }
    const heardEnough = new Promise<void>((resolve) => {
      calls.heard = () => {
        if (isEnough()) resolve()
      }
    })
    await Promise.race([heardEnough, pause(PATIENCE, undefined, { ref: false })])
    // In half of the rounds right after an answer: then a change that is written late is lost.
    if (this.#draws.isHit(0.5)) await pause(this.#draws.below(20))
    over.abort()
    await process.kill()
    await Promise.all(playing)
  }

  /**
   * Every second round has only a few kinds of changes, so that no other change saves them by
   * chance.
   */
  #plan(round: number): { chosen: NamedDeed[]; replacing: NamedDeed[] } {
    const all = Object.entries(this.#options.acts ?? acts)
    const whole = this.#options.acts ? [] : Object.entries(this.#replacements)
    if (round % 2 === 0) {
      const replacing = whole.length > 0 && this.#draws.isHit(0.5) ? [this.#draws.oneOf(whole)] : []
      return { chosen: all, replacing }
    }
    const turn = (round - 1) / 2
    const chosen = Array.from({ length: FEW }, (_, of) => all[(turn * FEW + of) % all.length]!)
    return {
      chosen,
      replacing: whole.length > 0 && turn % 2 === 0 ? [whole[(turn / 2) % whole.length]!] : [],
    }
  }

  /** How often the operation of a deed was acknowledged. */
  #acknowledged(name: string): number {
    const [operation] = name.split(' ')
    return this.ledger.counted(`acknowledged: ${operation}`)
  }

  #client(calls: Calls, round: number, index: number): Client {
    const { port } = this.#receiver.address() as AddressInfo
    const who = `client ${index}`
    return {
      who,
      calls,
      draws: new Draw(this.#options.seed, `${who}, round ${round}`),
      truth: this.#truth,
      receivers: { well: `http://127.0.0.1:${port}/well`, gone: `http://127.0.0.1:${port}/gone` },
      uploads: this.#uploads,
      unique: () => ++this.#unique,
    }
  }

  #told(): string {
    const { ledger } = this
    return [
      `${ledger.counted('kills')} kills of ${this.#options.kills}`,
      `${ledger.counted('things compared')} things compared`,
      `${ledger.counted('losses')} losses`,
    ].join(', ')
  }
}

type Deed = (client: Client) => Promise<unknown>

/** A deed with its name, which begins with the operation that it calls. */
type NamedDeed = readonly [name: string, deed: Deed]
