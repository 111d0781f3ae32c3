import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Verdict } from './judge.js'
import type { Placed } from './sample.js'

const OPEN = 'Not judged yet.'

/** Writes the page of survivors. What a person wrote about one of them stays. */
export function writeSurvivors(
  page: string,
  verdicts: readonly Verdict[],
  placed: ReadonlyMap<number, Placed>,
): void {
  const judged = judgedIn(existsSync(page) ? readFileSync(page, 'utf8') : '')
  const rows = verdicts
    .filter(({ killed }) => !killed)
    .map(({ id, reached }) => {
      const { file, row, kind, original, mutant } = placed.get(id)!
      const cells = [`${id}`, `${file}:${row}`, kind, code(original), code(mutant)]
      return `| ${[...cells, judged.get(id) ?? (reached ? OPEN : `No test reaches it. ${OPEN}`)].join(' | ')} |`
    })
  const lines = [
    '# Mutants that survive',
    '',
    '`npm run mutation -- --write` writes this page. Only the last column is written by hand.',
    '',
    summaryOf(verdicts),
    '',
    '| number | place | kind | original | mutant | verdict |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]
  writeFileSync(page, `${lines.join('\n')}\n`)
}

/** Returns how many mutants were killed, in one sentence. */
export function summaryOf(verdicts: readonly Verdict[]): string {
  const killed = verdicts.filter((each) => each.killed).length
  const byTime = verdicts.filter((each) => each.byTime).length
  const share = ((100 * killed) / verdicts.length).toFixed(1)
  return `Tests killed ${killed} of ${verdicts.length} mutants (${share} %), ${byTime} of them by time.`
}

function judgedIn(text: string): Map<number, string> {
  const rows = text.matchAll(/^\| (\d+) .*(?<!\\)\| ([^|]+?) +\|$/gm)
  const judged = [...rows].map(([, id, verdict]) => [Number(id), verdict!] as const)
  return new Map(judged.filter(([, verdict]) => !verdict.includes(OPEN)))
}

/** A cell of code. Backticks and bars would end it. */
function code(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('`', "'").replaceAll('|', String.raw`\|`)}\``
}
