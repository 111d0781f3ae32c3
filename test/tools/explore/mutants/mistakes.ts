import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { textOf, type Change, type Program } from './programs.js'

/** A program with one mistake. */
export interface Mutant {
  /** The name of the mistake, and what is wrong with the program then. */
  readonly operator: string
  readonly mistake: string
  readonly program: Program
  /** The file of the program that has the mistake. */
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly change: Change
}

/**
 * The mutants of `mistakes.txt`. Each mistake is one that people make in training loops. Below it are a program, the file
 * with the mistake, the code there, on one line, and what stands in its place. A number says which of several places.
 */
export const mutants: readonly Mutant[] = readFileSync(
  join(import.meta.dirname, 'mistakes.txt'),
  'utf8',
)
  .trim()
  .split('\n\n')
  .flatMap((block) => {
    const [title = '', ...rows] = block.split('\n')
    const [, operator, mistake] = /^# ([\w-]+): (.*)$/.exec(title) as unknown as [0, string, string]
    return rows.map((row) => {
      const [program, file, code, text, ordinal = '1'] = row.split(' | ') as [
        Program,
        string,
        string,
        string,
        string?,
      ]
      const place = placesOf(code, textOf(file))[Number(ordinal) - 1]
      if (!place) throw new Error(`${file}.mjs has no such code any more: ${row}`)
      const [start, end] = place
      const line = textOf(file).slice(0, start).split('\n').length
      return { operator, mistake, program, file, line, change: { start, end, text } }
    })
  })

export function keyOf({ operator, program, file, line, change }: Mutant): string {
  return `${operator} in ${program}, ${file}.mjs:${line}: ${change.text}`
}

/** Where a code stands in a text, however its lines are broken there. */
function placesOf(code: string, text: string): [start: number, end: number][] {
  const words = code
    .split(' ')
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const found = text.matchAll(new RegExp(words.join(String.raw`\s+`), 'g'))
  return Array.from(found, ({ 0: whole, index }) => [index, index + whole.length])
}
