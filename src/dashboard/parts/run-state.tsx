import type { ComponentChildren } from 'preact'
import type { ListedRun as Run } from '../../emulator/control/schemas.js'
import { Badge, type Tone } from './wording.js'

const TONES: Readonly<Record<Run['state'], Tone>> = {
  running: 'busy',
  finished: 'good',
  crashed: 'bad',
  failed: 'bad',
  killed: 'bad',
  preempting: 'warn',
  preempted: 'warn',
  pending: 'idle',
}

/** The state of a run as colored text. */
export function RunState({ of: state }: { of: Run['state'] }): ComponentChildren {
  return <Badge tone={TONES[state]}>{state}</Badge>
}
