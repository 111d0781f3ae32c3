import { readFileSync } from 'node:fs'

/** A line of the protocol, which the process that started this one reads. */
export type Note =
  | { readonly type: 'began' | 'passed' | 'alone'; readonly id: number; readonly file: string }
  | {
      readonly type: 'failed' | 'killed'
      readonly id: number
      readonly file: string
      readonly by: string
    }
  | {
      readonly type: 'unsound'
      readonly file: string
      readonly always: number
      readonly by: string
    }
  /** A test that fails without a mutant. It does not run with one. */
  | { readonly type: 'broken'; readonly file: string; readonly test: string }
  | { readonly type: 'done'; readonly file: string; readonly ids: readonly number[] }

export function readNotes(file: string): Note[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Note)
}

/** Returns the mutants that a test killed. What an unsound file says does not count. */
export function killedIn(all: readonly Note[]): Map<number, string> {
  const unsound = new Set(
    all.map((each) => each.type === 'unsound' && each.always === 0 && each.file),
  )
  return new Map(
    all.flatMap((each) =>
      each.type === 'killed' || (each.type === 'failed' && !unsound.has(each.file))
        ? [[each.id, each.by]]
        : [],
    ),
  )
}
