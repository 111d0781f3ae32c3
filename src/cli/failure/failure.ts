/** Something that failed, as data. The writers in this folder print it: for a terminal, as JUnit XML and as HTML. */
export interface Failure {
  /** What failed, in one line. */
  readonly title: string
  /** The kind of failure in a word or two, such as `timeout`. */
  readonly kind: string
  /** The line that people see first. Default: the title. */
  readonly headline?: Headline | undefined
  /** Why it failed. Undefined if the first line says it. */
  readonly reason?: string | undefined
  /** The cause in one line, as far as the evidence shows it: for a page, which has the evidence in places of its own. */
  readonly cause?: string | undefined
  /** What limits what is known about it. */
  readonly notes?: readonly string[] | undefined
  /** The evidence, and the command that repeats it. */
  readonly parts?: readonly FailurePart[] | undefined
}

interface Headline {
  /** What failed, such as a command. It is cut if the line is too long. */
  readonly subject?: string | undefined
  readonly text: string
  /** What is less important, such as how long it took. */
  readonly facts?: string | undefined
}

/** A part of the evidence. */
export type FailurePart = { readonly heading: string } & (
  | { readonly form: 'sentence'; readonly text: string }
  /** The heading says everything. */
  | { readonly form: 'nothing' }
  | FailureRows
  | { readonly form: 'columns'; readonly rows: readonly PendingRow[] }
  /** A command to paste, in words. */
  | { readonly form: 'command'; readonly words: readonly string[] }
  /** Text that stays as it is. */
  | {
      readonly form: 'code'
      readonly text: string
      /** The file that has it. */
      readonly file?: string | undefined
      /** A sentence before the heading, where there is room for it. */
      readonly before?: string | undefined
    }
)

/** Names with what is said about them, or marks of equal length, such as `404`. */
interface FailureRows {
  readonly form: 'names' | 'marks'
  readonly rows: readonly FailureRow[]
  /** What comes above and below the rows: how many are left out. */
  readonly above?: string | undefined
  readonly below?: string | undefined
}

/** A name or a mark, and what is said about it. */
export interface FailureRow {
  readonly label: string
  readonly text: string
}

/** Something that is pending. */
export interface PendingRow {
  readonly what: string
  readonly which: string
  readonly why: string
}
