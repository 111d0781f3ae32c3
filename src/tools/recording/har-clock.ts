import { fieldsOf, textIn, type Fields } from './exchanges.js'

/** The clock of the emulator that wrote the file. Undefined: another tool did. */
export function ownClock({ creator, comment, _svtrain: run }: Fields): string | undefined {
  if (fieldsOf(creator)['name'] !== 'svtrain-emulator') return undefined
  return textIn(fieldsOf(run)['clock']) ?? CLOCK.exec(textIn(comment) ?? '')?.[1]
}

/** Older files have it only in their comment. The name of the scenario comes before it. */
const CLOCK = /[^]*\bclock (\w+)/

/** Whether a clock skips time when a client asks for what happens later. */
export function skipsTime(clock: string | undefined): boolean {
  return clock === 'auto' || clock === 'instant'
}
