import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from 'undici'
import { median } from '../bench/statistics.js'
import { chat, leaveStream } from './chatters.js'
import { arm, conductor, control, look } from './controllers.js'
import type { Bundle } from './bundle.js'
import { Draw } from '../support/draw.js'
import { Ledger, type TrialOptions } from './ledger.js'
import { Line, newAgent } from './line.js'
import type { Part, Player } from './player.js'
import { Receivers } from './receivers.js'
import { beyond, reckon } from './reckoning.js'
import { ServedProcess, type State } from './served-process.js'
import { trainApart, trainByReinforcement } from './trainers.js'
import { sayNonsense, vanish } from './vandals.js'
import { World, type WorldAddress } from './world.js'

export interface SoakOptions extends TrialOptions {
  minutes: number
  clients: number
}

/** How many of a hundred clients play each part. */
const parts: readonly (readonly [Part, number])[] = [
  [trainByReinforcement, 26],
  [trainApart, 22],
  [chat, 12],
  [leaveStream, 10],
  [vanish, 10],
  [sayNonsense, 8],
  [control, 7],
  [look, 5],
]

/**
 * The number of worlds that an emulator keeps. All exist from the beginning, so that none counts as
 * growth.
 */
const WORLDS = 1000
const ROUNDS = 12
/** A limit for slow machines. What takes longer never happens. */
const PATIENCE = 60_000

/** One run: rounds of load, with a check after each. */
export class Soak {
  readonly ledger = new Ledger()
  /** The used memory in bytes after each round. */
  readonly memory: number[] = []
  readonly #options: SoakOptions
  readonly #receivers = new Receivers(this.ledger)
  #process!: ServedProcess
  #addresses: WorldAddress[] = []
  #base!: State

  constructor(options: SoakOptions) {
    this.#options = options
  }

  async run(bundle: Bundle): Promise<void> {
    this.#process = new ServedProcess(bundle, (text) => {
      this.ledger.find('process', text, 'the process')
    })
    await this.#receivers.open()
    this.#base = await this.#process.ask('state')
    const [shared, isolated] = await this.#process.ask('listen')
    this.#addresses = [
      { ...shared!, key: 'soak', isolated: false },
      { ...isolated!, key: 'soak', isolated: true },
    ]
    try {
      await this.#makeWorlds()
      this.#base = { ...(await this.#process.ask('state')), inFlight: 0, deliveries: 0, due: 0 }
      for (let round = 1; round <= ROUNDS; round++) {
        this.ledger.round = round
        await this.#playRound(round)
        if (this.#process.ended) break
      }
      this.#judgeMemory()
    } finally {
      await this.#close()
    }
  }

  /** Creates all worlds with one request each. */
  async #makeWorlds(): Promise<void> {
    const agent = newAgent()
    const [, address] = this.#addresses
    for (let first = 0; first < WORLDS; first += 50) {
      const asked = Array.from({ length: 50 }, (_, each) => {
        const world = new World({ ...address!, key: `first-${first + each}` }, agent)
        return this.#line(world, agent, new AbortController().signal).ask('GET', '/health')
      })
      await Promise.all(asked)
    }
    await agent.destroy()
  }

  #line(world: World, agent: Agent, ended: AbortSignal, who = 'nobody'): Line {
    return new Line({ world, who, ledger: this.ledger, agent, ended })
  }

  async #playRound(round: number): Promise<void> {
    const { minutes, clients, seed, progress } = this.#options
    const foul = round % 3 !== 1
    const agent = newAgent()
    const controlling = newAgent()
    // The first signal makes clients finish their work, the second makes them stop at once.
    const over = new AbortController()
    const gone = new AbortController()
    setMaxListeners(0, over.signal, gone.signal)
    const shared = new World(this.#addresses[0]!, controlling)
    const receivers = this.#receivers
    receivers.recovered = false
    await arm({ receivers, shared })
    const playerCalled = (who: string): Player => ({
      who,
      draws: new Draw(seed, `${who}, round ${round}`),
      ledger: this.ledger,
      receivers,
      shared,
      line: (world = shared) => this.#line(world, agent, gone.signal, who),
      ownWorld: (key) => new World({ ...this.#addresses[1]!, key }, controlling),
      ended: over.signal,
    })
    // A client that cannot go on is a finding. So what the process said is told as well.
    const start = (who: string, part: Part): Promise<void> =>
      play(playerCalled(who), part).catch((error: unknown) => {
        const { message, cause } = error as Error
        this.ledger.find('answers', `a call of the API: ${message} (${String(cause)})`, who)
      })
    const playing = [
      ...Array.from({ length: clients }, (_, index) => {
        const part = partOf(index)
        return start(`${part.name} ${index}`, part)
      }),
      start('conductor', conductor(foul)),
    ]
    const ends = Date.now() + (minutes * 60_000) / ROUNDS
    while (Date.now() < ends && !this.#process.ended) {
      await pause(Math.min(1000, ends - Date.now()))
      progress?.(this.#told())
    }
    over.abort()
    const all = Promise.all(playing)
    await this.#letFinish(all)
    gone.abort()
    const finished = await Promise.race([all.then(() => true), pause(PATIENCE)])
    if (!finished) {
      const waiting = [...this.ledger.waiting].map(([who, what]) => `${who} ${what}`).join(', ')
      this.ledger.find('answers', `never answered: ${waiting || 'a call of the API'}`, 'the round')
    }
    await agent.destroy()
    if (this.#process.ended) return controlling.destroy()
    const reckoning = Date.now()
    await reckon({ world: shared, ledger: this.ledger, receivers }).catch((error: unknown) => {
      this.ledger.find('answers', `of those that reckon: ${String(error)}`, 'the reckoning')
    })
    await controlling.destroy()
    await this.#process.ask('reset')
    receivers.hangUp()
    const resting = Date.now()
    this.ledger.count('ms of reckoning', resting - reckoning)
    await this.#comeToRest()
    this.ledger.count('ms until at rest', Date.now() - resting)
    this.memory.push(await this.#process.ask('memory'))
    progress?.(this.#told())
  }

  /** Lets clients finish their work, as long as they get answers: some wait for one that never comes. */
  async #letFinish(all: Promise<unknown>): Promise<void> {
    let before = -1
    for (let times = 6; times > 0; times--) {
      const answered = this.ledger.counted('answered 200')
      if (answered === before) return
      before = answered
      await Promise.race([all, pause(500)])
    }
  }

  /** Checks that a round leaves nothing behind. */
  async #comeToRest(): Promise<void> {
    const until = Date.now() + PATIENCE
    for (;;) {
      const left = beyond(await this.#process.ask('state'), this.#base)
      if (left === undefined) return
      if (Date.now() > until) return this.ledger.find('rest', `there are still ${left}`, 'the end')
      await pause(100)
    }
  }

  #judgeMemory(): void {
    const { memory } = this
    const quarter = Math.floor(memory.length / 4)
    if (quarter === 0) return
    const before = median(memory.slice(quarter, 2 * quarter))
    const after = median(memory.slice(-quarter))
    if (after - before <= TOLERANCE) return
    const grown = memory.map((bytes) => (bytes / MEGABYTE).toFixed(1)).join(', ')
    this.ledger.find('memory', `it grew, in MB after each round: ${grown}`, 'the end')
  }

  async #close(): Promise<void> {
    const ended = this.#process.ended
    const code = ended ? -1 : await this.#process.close(PATIENCE)
    if (code !== 0) {
      const told = code === undefined ? 'does not end once all is closed' : `ended with ${code}`
      this.ledger.find('process', `the process ${told}`, 'the end')
    }
    for (const { trainingUrl } of this.#addresses) {
      const answered = await fetch(trainingUrl).then(
        () => true,
        () => false,
      )
      if (answered) this.ledger.find('rest', `${trainingUrl} still answers`, 'the end')
    }
    await this.#receivers.close()
  }

  #told(): string {
    const { ledger, memory } = this
    const used = memory.at(-1)
    return [
      `round ${ledger.round} of ${ROUNDS}`,
      `${ledger.counted('requests')} requests`,
      `${ledger.counted('jobs accepted')} jobs`,
      `${ledger.counted('deliveries received')} deliveries`,
      `${ledger.counted('resets')} resets`,
      ...(used === undefined ? [] : [`${(used / MEGABYTE).toFixed(1)} MB`]),
      `${ledger.findings.length} findings`,
    ].join(', ')
  }
}

const MEGABYTE = 1024 * 1024
/** The growth in bytes that compiled code and caches of the runtime can still cause. */
const TOLERANCE = 4 * MEGABYTE

function partOf(index: number): Part {
  // Distributed, so that a small number of clients also has all kinds.
  let place = (index * 37) % 100
  for (const [part, share] of parts) {
    if (place < share) return part
    place -= share
  }
  return look
}

async function play(player: Player, part: Part): Promise<void> {
  while (!player.ended.aborted) await part(player)
}
