import type { ApiRequest, Outcome } from '../../../src/service/contract/exchange.js'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { drawCall, WILD, type Call } from './calls.js'
import { assertSame, emptyEmulator, send, stateOf, useWorld } from './look.js'
import type { StartKind, Verdict } from './kind.js'
import { smallWorld, type SmallWorld } from './small-world.js'

/** A world that an emulator holds, with its state before the next call. */
interface Held {
  readonly world: Emulator
  before: string
}

/**
 * An emulator that holds the small world, as its only world or as the worlds of two keys. A call is for one emulator, so
 * the other one needs no comparison.
 */
class Stage {
  readonly emulator: Emulator
  readonly #small: SmallWorld
  readonly #other = emptyEmulator()
  /** The world that calls are for. */
  readonly #wild: Held
  /** A world that no call is for, if each key has its own. */
  readonly #quiet: Held | undefined
  /** The emulator itself, which is no world of a key. */
  readonly #main: Held | undefined

  constructor(small: SmallWorld, isolated: boolean) {
    this.#small = small
    this.emulator = isolated
      ? createEmulator({ isolate: 'api-key', clock: 'manual', send })
      : emptyEmulator()
    const worldOf = (key: string): Held => {
      return this.#restored({
        world: isolated ? this.emulator.world(key) : this.emulator,
        before: '',
      })
    }
    this.#wild = worldOf(WILD)
    if (!isolated) return
    this.#quiet = worldOf('quiet')
    this.#main = { world: this.emulator, before: stateOf(this.emulator) }
  }

  #restored(held: Held): Held {
    held.world.restore(this.#small.snapshot)
    held.before = stateOf(held.world)
    return held
  }

  get #all(): Held[] {
    return [this.#main, this.#wild, this.#quiet].filter((each) => each !== undefined)
  }

  /** Checks what became of a call, and starts over if it had an effect. */
  async after(call: Call, isChange: boolean): Promise<Verdict> {
    if (!isChange) {
      for (const { world, before } of this.#all) assertSame(before, stateOf(world))
      return 'refused'
    }
    const { world } = this.#wild
    if (world.clock.mode !== 'real') world.clock.advance('3s')
    await world.webhooks.idle()
    if (this.#quiet && !isForAll(call)) {
      const what = 'A call had an effect on the world of another key.'
      assertSame(this.#quiet.before, stateOf(this.#quiet.world), what)
    }
    if (call.reads) await useWorld(world, this.#other)
    this.#startOver(call)
    return 'accepted'
  }

  /** Restores the worlds that a call may have changed: often only the one that it was for. */
  #startOver({ headers }: Call): void {
    const main = this.#main
    const isForWild = headers['svtrain-world'] === WILD
    if (main && !(isForWild && stateOf(main.world) === main.before)) {
      main.world.reset('happy-path')
      main.before = stateOf(main.world)
      this.#restored(this.#quiet!)
    }
    this.#restored(this.#wild)
  }

  async close(): Promise<void> {
    await Promise.all([this.emulator, this.#other].map((each) => each.close()))
  }
}

/** Without the name of a world, the call is for the emulator. A reset of it starts all worlds over. */
function isForAll({ row, headers }: Call): boolean {
  const resets = row === 'resetWorld' || row === 'chooseScenario'
  return resets && !('svtrain-world' in headers)
}

/** Calls that leave more than a world behind. */
export const lasting: readonly string[] = ['openSink', 'startExploration', 'nextTrial', 'callMcp']

/** Whether a refusal is a time that passed until the limit, as the answer says. */
export function isUnsettled({ row }: Call, status: number): boolean {
  return row === 'settleWorld' && status === 409
}

/** Fails if an answer is a mistake of the emulator. */
export function assertAnswer(call: Call, status: number, body: string): void {
  if (status !== 500 && !body.includes('please report')) return
  throw new Error(`${call.method} ${call.path}: ${status} ${body.slice(0, 500)}`)
}

/** The two emulators that calls are for: one with a world, and one with a world for each key. */
export async function startStages(): Promise<{ small: SmallWorld; stages: [Stage, Stage] }> {
  const small = await smallWorld()
  return { small, stages: [new Stage(small, false), new Stage(small, true)] }
}

/** Calls of every row of the control API, in process. */
export const startControlCalls: StartKind = async () => {
  const { small, stages } = await startStages()
  return {
    async attempt(draw) {
      const call = drawCall(draw, small)
      const place = Number(call.isolated) as 0 | 1
      const stage = stages[place]
      const { method, path, query, headers, body } = call
      const request: ApiRequest = { method, base: 'http://127.0.0.1', path, query, headers, body }
      const isAccepted = await heard(call, await stage.emulator.handle('training', request))
      if (isAccepted && lasting.includes(call.row)) {
        await stage.close()
        stages[place] = new Stage(small, call.isolated)
        return 'accepted'
      }
      return stage.after(call, isAccepted && method !== 'GET')
    },
    async end() {
      await Promise.all(stages.map((stage) => stage.close()))
    },
  }
}

/** Checks an answer. Returns whether the call was accepted. */
async function heard(call: Call, outcome: Outcome): Promise<boolean> {
  if (outcome.kind === 'stream') {
    for await (const _chunk of outcome.chunks) break
    outcome.leave?.()
    return outcome.status < 400
  }
  if (outcome.kind !== 'response') throw new Error(`There is no answer: ${outcome.kind}.`)
  const { status, body, headers } = outcome
  if (isUnsettled(call, status)) return true
  assertAnswer(call, status, body)
  const isJson = headers['content-type']?.includes('json') === true
  const hasDetail = !isJson || 'detail' in Object(JSON.parse(body))
  if (status >= 400 && call.row !== 'callMcp' && !hasDetail) {
    const text = `${call.method} ${call.path}: ${status} without a detail: ${body.slice(0, 500)}`
    throw new Error(text)
  }
  return status < 400
}
