import { EmulatorError } from './emulator-error.js'
import { shortened } from './shortened.js'

/** What is shown of an error of work that no call waits for. It holds no secrets. */
export interface BackgroundError {
  /** What failed, and why: `Failed to save the world: ENOSPC: no space left on device`. */
  readonly text: string
  /** Where it failed, as a stack trace. Without one, the text. */
  readonly stack: string
  /** The id of the journal entry that led to the work. */
  readonly cause: number | undefined
}

interface Options {
  /** Shows an error to people: in a journal, or in a log. It must not throw. */
  readonly show: (error: BackgroundError) => void
  /** Removes secrets from a text. Default: there are none. */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * The place for errors of work that no call waits for: deliveries, saves, timers, streams, listeners. Such an
 * error is shown with its reason. It ends neither the process nor the work beside it.
 */
export class BackgroundErrors {
  readonly #show: Options['show']
  readonly #redact: (text: string) => string

  constructor({ show, redact = (text) => text }: Options) {
    this.#show = show
    this.#redact = redact
  }

  /**
   * Shows an error. It never throws.
   *
   * @param what What failed, as a verb with its object: `save the world`. It may have secrets.
   * @param cause The id of the journal entry that led to the work.
   */
  report(what: string, error: unknown, cause?: number): void {
    const text = this.textOf(what, error)
    this.#show({ text, stack: [text, ...this.#framesOf(error)].join('\n'), cause })
  }

  /** Formats an error as `report` does, for the answer to a call. */
  textOf(what: string, error: unknown): string {
    return `Failed to ${this.#without(() => what) ?? 'do its work'}: ${this.reasonOf(error)}`
  }

  /** Formats the reason alone. */
  reasonOf(error: unknown): string {
    // A secret that is cut in half would not be recognized.
    const reason = this.#without(() => reasonOf(error))
    const text = reason ?? `${kindOf(error)} (its text cannot be shown)`
    return shortened(text.replaceAll(/\s+/g, ' ').trim(), LONGEST)
  }

  /** Does work now. Returns its result; undefined if it failed, which is reported as `report` has it. */
  run<T>(what: string, work: () => T, cause?: number): T | undefined {
    try {
      return work()
    } catch (error) {
      this.report(what, error, cause)
      return undefined
    }
  }

  /**
   * Makes a callback of a socket, a stream, a timer or a process. What it throws is reported: nothing else could catch
   * it, and it would end the process. `test/callbacks.test.ts` refuses callbacks that are made without it.
   */
  callback<Given extends unknown[]>(
    what: string,
    work: (...given: Given) => unknown,
  ): (...given: Given) => void {
    return (...given) => {
      const done = this.run(what, () => work(...given))
      if (done instanceof Promise) void this.watch(what, done)
    }
  }

  /** Waits for work, and reports its error. Never rejects. */
  async watch(what: string, work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.report(what, error)
    }
  }

  /** The nearest frames of a stack, without the message above them. */
  #framesOf(error: unknown): string[] {
    const lines = this.#without(() => stackOf(error))?.split('\n') ?? []
    return lines.filter((line) => /^\s+at /.test(line)).slice(0, MOST_FRAMES)
  }

  /** Removes secrets. Undefined if that is what fails, or if the error has no text: then nothing is shown. */
  #without(text: () => string): string | undefined {
    try {
      return this.#redact(text())
    } catch {
      return undefined
    }
  }
}

/** Makes a callback, as `BackgroundErrors.callback` does, whose error goes to who waits for it. */
export function failingWith<Given extends unknown[]>(
  failed: (error: Error) => void,
  work: (...given: Given) => void,
): (...given: Given) => void {
  return (...given) => {
    try {
      work(...given)
    } catch (error) {
      failed(error as Error)
    }
  }
}

/** The most characters of a reason. An error may quote all that it was about. */
const LONGEST = 500
/** The most frames of a stack. */
const MOST_FRAMES = 10
/** The most causes of an error, itself included. */
const MOST_CAUSES = 5

function reasonOf(error: unknown): string {
  const reasons = new Map<unknown, string>()
  // An error may be its own cause.
  for (let each = error; !reasons.has(each) && reasons.size < MOST_CAUSES;) {
    reasons.set(each, ownReasonOf(each))
    const cause = each instanceof Error ? each.cause : undefined
    if (cause === undefined) break
    each = cause
  }
  return [...reasons.values()].join(' (') + ')'.repeat(reasons.size - 1)
}

function ownReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message } = error
  // Errors of the emulator, and those of the system, say everything in their message.
  const isPlain = error instanceof EmulatorError || name === 'Error' || message === ''
  return isPlain ? message || name : `${name}: ${message}`
}

/** What an error is, for one that has no text: any code may have thrown it. */
function kindOf(error: unknown): string {
  try {
    const name: unknown = error instanceof Error ? error.name : undefined
    if (typeof name === 'string') return name
  } catch {
    // An error that cannot be read is an object like any other.
  }
  return typeof error
}

/** The stack of an error, from the end of its message. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { stack = '', message } = error
  const start = stack.indexOf(message)
  return start === -1 ? stack : stack.slice(start + message.length)
}
