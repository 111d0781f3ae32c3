import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const REPORT = join(import.meta.dirname, 'report')
const README = join(import.meta.dirname, '..', '..', 'README.md')

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
  const shown = new Set(readFileSync(README, 'utf8').split('\n').map(withoutPadding))
  const lines = rows.map((row) => withoutPadding(lineOf(row)))
  return lines.filter((line) => !shown.has(line))
}

/** The table so far, as Markdown. */
export function tableOf(): string {
  const rows = readdirSync(REPORT)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(REPORT, file), 'utf8')) as Row[])
  const head = [
    '| check | cases | same | different | reasons |',
    '| --- | ---: | ---: | ---: | --- |',
  ]
  return [...head, ...rows.map(lineOf)].join('\n')
}

export function writeTable(): void {
  writeFileSync(join(REPORT, 'conformance.md'), `${tableOf()}\n`)
}

function lineOf({ check, cases, same, reasons }: Row): string {
  const [all, alike, others] = [cases, same, cases - same].map((count) =>
    count.toLocaleString('en'),
  )
  return `| ${check} | ${all} | ${alike} | ${others} | ${reasons} |`
}

/** Prettier pads the cells of the README's tables. */
function withoutPadding(line: string): string {
  return line.replaceAll(/ +/g, ' ')
}
