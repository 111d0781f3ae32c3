import { counted } from '../../base/text/counted.js'

/** What a client did between polls of a job. */
interface Pauses {
  /** Milliseconds of real time. */
  readonly waited: number
  readonly polls: number
  /** The id of the job. */
  readonly job: string
}

/** The section of the documentation about all warnings: `svtrain-emulator docs warnings` prints it. */
export const WARNINGS_PAGE = 'warnings'

/**
 * What a person should know who reads no log, each with its words. Everything that shows warnings takes them from here:
 * the journal, the log, `exec`, and the process of a test runner.
 */
export const warnings = {
  'real-time-polls': (pauses: Pauses) =>
    `the client waited ${describe(pauses)}, because the clock is real; auto and instant skip that time`,
  'sleeping-client': (pauses: Pauses) =>
    `the client slept ${describe(pauses)}, although the clock skips time; instant needs one poll for each job`,
  'base-answers': ({ model, why }: { model: string; why: string }) =>
    `the chat with ${model} was answered as a base model: ${why}`,
  'idle-webhooks': ({ reasons }: { reasons: readonly string[] }) => reasons.join('; '),
  'open-ports': ({ urls }: { urls: readonly string[] }) =>
    `${urls.join(' and ')} ${urls.length === 1 ? 'is' : 'are'} still open, and nothing else happens in this process; call close()`,
} as const

/** The name of a warning. */
export type WarningName = keyof typeof warnings

/** A warning with its values. */
export interface Warning {
  readonly name: WarningName
  /** One line, with the command that prints the page about it. */
  readonly text: string
}

/** Returns a warning with these values. */
export function warningOf<Name extends WarningName>(
  name: Name,
  facts: Parameters<(typeof warnings)[Name]>[0],
): Warning {
  const say = warnings[name] as (values: typeof facts) => string
  return { name, text: `${say(facts)}. See: svtrain-emulator docs ${WARNINGS_PAGE}` }
}

function describe({ waited, polls, job }: Pauses): string {
  const seconds = (waited / 1000).toFixed(1)
  return `${seconds} s between ${counted(polls, 'poll')} of job ${job.slice(0, 8)}`
}

/** Where the warnings of a world go, besides its journal. */
export interface WarningOptions {
  /** Shows a warning to people. Default: the journal alone has it. */
  readonly warned?: ((warning: Warning) => void) | undefined
  /** Warnings about what is usual for this emulator. */
  readonly usual?: readonly WarningName[] | undefined
}

interface WarnedJournal {
  readonly warn: (warning: Warning, cause?: number) => void
}

/** The warnings of a world: each is given once. */
export class Warnings {
  /** Whether none is given: an exploration chooses what happens in the world, and judges it. */
  isQuiet = false
  readonly #journal: WarnedJournal
  readonly #options: WarningOptions
  readonly #given = new Set<WarningName>()

  constructor(journal: WarnedJournal, options: WarningOptions = {}) {
    this.#journal = journal
    this.#options = options
  }

  /** Gives a warning, unless the world has given it before. `cause` is the id of a request. */
  give<Name extends WarningName>(
    name: Name,
    facts: Parameters<(typeof warnings)[Name]>[0],
    cause?: number,
  ): void {
    const { usual = [], warned } = this.#options
    if (this.isQuiet || this.#given.has(name) || usual.includes(name)) return
    this.#given.add(name)
    const warning = warningOf(name, facts)
    this.#journal.warn(warning, cause)
    warned?.(warning)
  }
}
