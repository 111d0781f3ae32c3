import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../../.build/format.js'

export const REPORT = join(import.meta.dirname, 'report')
const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'explain', 'fidelity.md')
const [BEGIN, END] = ['<!-- conformance -->', '<!-- end of conformance -->']

/** A line of the table. */
export interface Row {
  check: string
  cases: number
  same: number
  /** Why the others differ. */
  reasons: string
}

/** Adds rows to the table, and returns those that the documentation does not show. */
export function report(name: string, rows: readonly Row[]): string[] {
  writeFileSync(join(REPORT, `${name}.json`), JSON.stringify(rows))
  const shown = new Set(readFileSync(PAGE, 'utf8').split('\n').map(withoutPadding))
  const lines = rows.map((row) => withoutPadding(lineOf(row)))
  return lines.filter((line) => !shown.has(line))
}

/** The table so far, as Markdown. */
export function tableOf(rows = rowsSoFar()): string {
  return [HEAD, '| --- | ---: | ---: | ---: | --- |', ...rows.map(lineOf)].join('\n')
}

const HEAD = '| check | cases | same | different | reasons |'

function rowsSoFar(): Row[] {
  return readdirSync(REPORT)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(REPORT, file), 'utf8')) as Row[])
}

export function writeTable(): void {
  writeFileSync(join(REPORT, 'conformance.md'), `${tableOf()}\n`)
}

/** Writes the table of docs/explain/fidelity.md. Rows of checks that did not run stay. */
export async function updatePage(): Promise<void> {
  const rows = rowsSoFar()
  const page = readFileSync(PAGE, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const [table, after] = rest?.split(END) ?? []
  if (after === undefined) throw new Error(`${PAGE} has no lines ${BEGIN} and ${END}`)
  const others = table!
    .split('\n')
    .filter((line) => /^\| .* \|$/.test(line) && !/^\| -|^\| check /.test(line))
    .filter((line) => !rows.some(({ check }) => withoutPadding(line).startsWith(`| ${check} |`)))
  const text = `${before}${BEGIN}\n\n${[tableOf(rows), ...others].join('\n')}\n\n${END}${after}`
  writeFileSync(PAGE, await formatted(PAGE, text))
}

function lineOf({ check, cases, same, reasons }: Row): string {
  const [all, alike, others] = [cases, same, cases - same].map((count) =>
    count.toLocaleString('en'),
  )
  return `| ${check} | ${all} | ${alike} | ${others} | ${reasons} |`
}

/** The formatter pads the cells of tables. */
function withoutPadding(line: string): string {
  return line.replaceAll(/ +/g, ' ')
}
