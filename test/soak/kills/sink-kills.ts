import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { Draw } from '../../support/draw.js'
import type { Bundle } from '../bundle.js'
import { Ledger, type TrialOptions } from '../ledger.js'
import { KeptProcess } from './kept-process.js'

export interface SinkKillsOptions extends TrialOptions {
  kills: number
}

/** The process that is killed, in `test/soak`. */
export const KEPT_SINK = 'kills/kept-sink.ts'

const SENDERS = 6

/**
 * Kills a sink with a file repeatedly while deliveries arrive, and compares the acknowledged deliveries with the
 * records in the file.
 */
export class SinkKills {
  readonly ledger = new Ledger()
  readonly #options: SinkKillsOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'svtrain-kept-sink-'))
  readonly #out = join(this.#folder, 'deliveries.ndjson')
  readonly #acknowledged = new Set<string>()
  #unique = 0

  constructor(options: SinkKillsOptions) {
    this.#options = options
  }

  async run(bundle: Bundle): Promise<void> {
    const draws = new Draw(this.#options.seed, 'the one who kills the sink')
    try {
      for (let round = 0; round < this.#options.kills; round++) {
        this.ledger.round = round
        await this.#playRound(bundle, 1 + draws.below(60))
        this.#judge()
      }
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  /** Kills the sink right after an answer, while others are under way. */
  async #playRound(bundle: Bundle, enough: number): Promise<void> {
    const process = new KeptProcess(bundle.fileOf(KEPT_SINK), [this.#out])
    const agent = new Agent()
    const { url } = (await process.printed<{ url: string }>())!
    let answered = 0
    let killed: Promise<void> | undefined
    const send = async (): Promise<void> => {
      while (!killed) {
        const id = `delivery ${++this.#unique}`
        const body = JSON.stringify({ id })
        const { statusCode, body: answer } = await agent.request({
          origin: url,
          path: '/hook',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        await answer.dump()
        if (statusCode !== 200) this.ledger.find('answers', `the sink answered ${statusCode}`, id)
        else this.#acknowledged.add(id)
        if (++answered >= enough) killed ??= process.kill()
      }
    }
    // A delivery without an answer may be in the file or not.
    await Promise.allSettled(Array.from({ length: SENDERS }, send))
    await killed
    await agent.destroy()
    if (!killed)
      this.ledger.find('process', 'the sink ended by itself', `round ${this.ledger.round}`)
    if (process.stderr !== '') this.ledger.find('process', process.stderr, 'the sink')
    this.ledger.count('kills of the sink')
  }

  #judge(): void {
    const lines = readFileSync(this.#out, 'utf8').split('\n').slice(0, -1)
    const recorded = new Map<string, number>()
    for (const line of lines) {
      const { id } = (JSON.parse(line) as { body: { id: string } }).body
      recorded.set(id, (recorded.get(id) ?? 0) + 1)
    }
    this.ledger.count('deliveries compared', this.#acknowledged.size)
    for (const id of this.#acknowledged) {
      const times = recorded.get(id) ?? 0
      if (times !== 1) this.ledger.find('kept', `${id} is in the file ${times} times`, 'the sink')
    }
  }
}
