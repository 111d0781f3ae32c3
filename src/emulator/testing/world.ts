import { NEWEST_CONTRACT, type ContractVersion } from '../../service/contract/versions.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Journal } from '../../service/engine/journal.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'

/** The parts of an emulator that its test functions use. */
export interface TestedWorld {
  readonly engine: Engine
  readonly journal: Journal
  readonly webhooks: Pick<Webhooks, 'deliveries' | 'missing' | 'wasSpoiled' | 'withoutSecrets'>
  readonly seed: number
  /** The contract that is served. Default: the newest. */
  readonly contract?: ContractVersion
  /** The name of the world of one API key. */
  readonly worldName?: string | null
}

/** Formats what is needed to reproduce a failing test. `TRACE_HEAD` reads it. */
export function origin({ engine, seed, contract = NEWEST_CONTRACT }: TestedWorld): string {
  const older = contract === NEWEST_CONTRACT ? '' : `, contract ${contract}`
  return `scenario ${JSON.stringify(engine.scenario.name)}, seed ${seed}, clock ${engine.clock.mode}${older}`
}
