import type { Clock } from '../../base/clock/clock.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../service/contract/versions.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Journal } from '../../service/engine/journal.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'

/** The parts of an emulator that its test functions use. */
export interface TestedWorld {
  readonly engine: Engine
  readonly journal: Journal
  readonly webhooks: Pick<
    Webhooks,
    'deliveries' | 'failedTooLate' | 'missing' | 'rulesOf' | 'wasSpoiled' | 'withoutSecrets'
  >
  readonly seed: number
  /** The contract that is served. Default: the newest. */
  readonly contract?: ContractVersion
  /** The name of the world of one API key. */
  readonly worldName?: string | null
  /** The worlds of API keys. Default: all keys share this world. */
  readonly worlds?: Iterable<TestedWorld>
}

/** What `settle` needs of a world. */
export interface Settleable {
  readonly clock: Clock
  readonly journal: Journal
  /** The jobs and their models, and how many responses hang. */
  readonly engine: {
    readonly store: Pick<Engine['store'], 'jobs' | 'model'>
    readonly timeline: Pick<Engine['timeline'], 'mayMoveJobs'>
    readonly delayed: { readonly hanging: number }
  }
  /** How many requests are being answered. */
  readonly inFlight: number
  /** How many deliveries are on their way. */
  readonly webhooks: { readonly inFlight: number }
  /** The sink of the world, and how many responses it delays. */
  readonly sink?: { readonly holding: number } | undefined
}

/** Formats what is needed to reproduce a failing test. `TRACE_HEAD` reads it. */
export function origin({ engine, seed, contract = NEWEST_CONTRACT }: TestedWorld): string {
  const older = contract === NEWEST_CONTRACT ? '' : `, contract ${contract}`
  return `scenario ${JSON.stringify(engine.scenario.name)}, seed ${seed}, clock ${engine.clock.mode}${older}`
}
