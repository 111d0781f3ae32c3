import { constants } from 'node:os'
import type { CalledHost } from '../../emulator/intercept/called-hosts.js'
import type { PendingRow } from './failure.js'

/** A command that ran beside an emulator. */
export interface CommandRun {
  command: readonly string[]
  code: number
  /** Milliseconds of real time. */
  took: number
  /** The words of the command that runs the same again. */
  again: readonly string[]
  /** The mistakes that the client checks found, if they were asked for. */
  mistakes?: readonly Mistake[]
  /** What was pending when the command was stopped because it ran too long. */
  late?: readonly PendingRow[] | undefined
  /** Whether it has no key for chats. */
  lacksChatKey?: boolean | undefined
  /** The hosts that it called, if a proxy led it to the emulator. */
  called?: readonly CalledHost[] | undefined
}

interface Mistake {
  readonly check: string
  readonly text: string
}

/** Names the signal that ended a program, as far as its code says it. A shell adds 128 to the number of the signal that ended a program. */
export function signalText(code: number | undefined): string {
  const names = Object.entries(constants.signals)
  const [name] = names.find(([, number]) => code === 128 + number) ?? []
  return name === undefined ? '' : `, as after ${name}`
}
