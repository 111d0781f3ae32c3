import type { Emulator } from '../../../src/index.js'
import type { ApiRequest, Chunk, Host, Outcome } from '../../../src/service/contract/exchange.js'
import type { RecordedExchange } from '../../../src/tools/recording/exchanges.js'
import type { ResponseEnd } from '../../../src/tools/recording/recording.js'

type Draft = { -readonly [K in keyof RecordedExchange]: RecordedExchange[K] }

/** Records all calls of an emulator in process, with the times of its clock. */
export function recordCalls(emulator: Emulator): RecordedExchange[] {
  const recorded: Draft[] = []
  const handle = emulator.handle.bind(emulator)
  const now = (): number => emulator.clock.now()
  const finish = (draft: Draft, how: ResponseEnd['how']): void => {
    draft.end ??= { type: 'end', id: draft.request.id, at: now(), how }
  }
  const take = (draft: Draft, outcome: Outcome): Outcome => {
    const { id } = draft.request
    if (outcome.kind === 'disconnect') {
      finish(draft, 'lost')
      return outcome
    }
    if (outcome.kind === 'hang') {
      const leave = (): void => {
        finish(draft, 'client_left')
        outcome.leave()
      }
      return { ...outcome, leave }
    }
    const { status, headers } = outcome
    draft.response = { type: 'response', id, at: now(), status, headers }
    if (outcome.kind === 'response') {
      draft.text = outcome.body
      finish(draft, 'complete')
      return outcome
    }
    const leave = (): void => {
      finish(draft, 'client_left')
      outcome.leave?.()
    }
    return { ...outcome, chunks: chunksOf(outcome, draft), ...(outcome.leave && { leave }) }
  }
  async function* chunksOf(
    { chunks }: Extract<Outcome, { kind: 'stream' }>,
    draft: Draft,
  ): AsyncGenerator<Chunk> {
    // A client that leaves ends the loop without an error.
    let how: ResponseEnd['how'] = 'client_left'
    try {
      for await (const chunk of chunks) {
        draft.text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
        yield chunk
      }
      how = 'complete'
    } catch (error) {
      how = 'lost'
      throw error
    } finally {
      finish(draft, how)
    }
  }
  const record = (host: Host, request: ApiRequest): Outcome | Promise<Outcome> => {
    const { method, path, query, body } = request
    const id = recorded.length + 1
    const draft: Draft = {
      request: {
        type: 'request',
        id,
        at: now(),
        host,
        method,
        path: path.slice(`${emulator.basePath}/v1`.length),
        query,
        headers: {},
        ...(body !== 'too-large' && body.length > 0 && { body: new TextDecoder().decode(body) }),
      },
      text: '',
    }
    recorded.push(draft)
    const outcome = handle(host, request)
    return outcome instanceof Promise
      ? outcome.then((each) => take(draft, each))
      : take(draft, outcome)
  }
  Object.defineProperty(emulator, 'handle', { value: record })
  return recorded
}

/** Ends what is still open: its client has left. */
export function endOpen(recorded: readonly RecordedExchange[]): RecordedExchange[] {
  return recorded.map((each): RecordedExchange => {
    if (each.end) return each
    const { id, at } = each.request
    return { ...each, end: { type: 'end', id, at, how: 'client_left' } }
  })
}
