import type { ApiRequest, Host, Outcome } from '../../service/contract/exchange.js'
import type { Emulator } from '../../emulator/emulator.js'
import { nextTurn } from '../../base/clock/wall.js'

/** How a call ends for the client. */
export type ExchangeEnd =
  | { kind: 'answer'; status: number; headers: Readonly<Record<string, string>>; body: string }
  | { kind: 'lost' }
  | { kind: 'timeout' }

/** The emulator, and whether it does work at the moment that takes real time. */
export interface Playground {
  emulator: Emulator
  realWork: { readonly isUnderWay: boolean }
}

/** How long clients of the service wait for an answer, in virtual milliseconds. */
const PATIENCE = 60_000

/**
 * How many turns of the event loop pass before the clock moves. An answer that does not wait for the clock
 * may need some turns.
 */
const TURNS = 5

/** Sends a request and waits for the answer. If the answer waits for the clock, it moves the clock. */
export async function exchange(
  { emulator, realWork }: Playground,
  { host, request }: { host: Host; request: ApiRequest },
): Promise<ExchangeEnd> {
  const deadline = emulator.clock.now() + PATIENCE
  const outcome = emulator.handle(host, request)
  const known =
    outcome instanceof Promise
      ? await awaitOnClock({ emulator, realWork }, { pending: outcome, deadline })
      : outcome
  if (known === TIMED_OUT) return { kind: 'timeout' }
  if (known.kind === 'disconnect') return { kind: 'lost' }
  if (known.kind === 'response') return { ...known, kind: 'answer' }
  if (known.kind === 'hang') {
    emulator.clock.advanceTo(deadline)
    known.leave()
    return { kind: 'timeout' }
  }
  const pending = textOf(known)
  const body = await awaitOnClock({ emulator, realWork }, { pending, deadline })
  if (body === TIMED_OUT) {
    known.leave?.()
    return { kind: 'timeout' }
  }
  if (body === undefined) return { kind: 'lost' }
  return { kind: 'answer', status: known.status, headers: known.headers, body }
}

const TIMED_OUT = Symbol('timed out')

async function awaitOnClock<T>(
  { emulator: { clock }, realWork }: Playground,
  { pending, deadline }: { pending: Promise<T>; deadline: number },
): Promise<T | typeof TIMED_OUT> {
  const state = { settled: false }
  const settle = (): void => void (state.settled = true)
  pending.then(settle, settle)
  const isSettled = async (): Promise<boolean> => {
    for (let turn = 0; turn < TURNS && !state.settled; turn++) {
      do await nextTurn()
      while (realWork.isUnderWay)
    }
    return state.settled
  }
  while (!(await isSettled())) {
    const next = clock.nextAt()
    if (next !== undefined && next <= deadline) clock.next()
    else if (clock.now() < deadline) clock.advanceTo(deadline)
    else return TIMED_OUT
  }
  return pending
}

/** Reads the whole text. Returns undefined if the stream breaks off. */
async function textOf(outcome: Extract<Outcome, { kind: 'stream' }>): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of outcome.chunks) {
      text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    }
  } catch {
    return undefined
  }
  return text
}
