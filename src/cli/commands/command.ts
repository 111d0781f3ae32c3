import type { Terminal } from '../terminal.js'

/** A row of the table: what does the work, or a group of further commands. */
export type Command = Leaf | Group

interface Row {
  summary: string
  /** Its names and arguments. */
  usage: string
}

export interface Leaf extends Row {
  /** Loaded when it is called: whoever serves waits for none of them. */
  load: () => Promise<Run>
}

export interface Group extends Row {
  commands: Readonly<Record<string, Leaf>>
}

export interface Called {
  /** Its names: `scenarios show`. */
  name: string
  row: Leaf
  /** What follows its names. */
  argv: readonly string[]
}

/** Does the work and gives the exit code. Raises `UsageError` or `ScenarioError`. */
export type Run = (called: Called, terminal: Terminal) => Promise<number>
