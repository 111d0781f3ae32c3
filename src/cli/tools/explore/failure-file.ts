import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { withoutChance } from '../../../tools/explore/judge.js'
import type { ExploreFailure } from '../../../tools/explore/exploration.js'
import { slugOf } from '../../../base/text/slug.js'
import { printable, printableLines } from '../../terminal.js'
import type { Evidence } from './ended-trial.js'

/**
 * The files of a failure: its scenario, and what the command printed. Both begin with the title, the command that
 * repeats the failure, and a mark. All that writes, reads and recognizes them is here.
 */

/**
 * Tells the files of failures from those of the user. No release wrote files without it: those of builds before it
 * count as files of the user.
 */
const MARK = 'Found by an exploration.'

const ENDINGS = ['.yaml', '.log']

/** The most characters of the words of a title, in the name of a file. */
const LONGEST_SLUG = 47

/** Returns the text of the file with the scenario. Its head is a comment. */
export function scenarioText(
  { title, yaml }: Pick<ExploreFailure, 'title' | 'yaml'>,
  again: string,
): string {
  const comment = headLines(title, again).map((line) => `# ${line}`)
  return [...comment, yaml.trimEnd(), ''].join('\n')
}

/** Returns the text of the file with what the command printed. */
export function logText(
  { title }: Pick<ExploreFailure, 'title'>,
  { again, evidence: { code, stdout, stderr, trace } }: { again: string; evidence: Evidence },
): string {
  const part = (name: string, text: string): string[] => {
    return text === '' ? [] : ['', `${name}:`, text.trimEnd()]
  }
  return [
    ...headLines(title, again),
    ...part('What the command printed on stdout', printableLines(stdout)),
    ...part('What the command printed on stderr', printableLines(stderr)),
    ...part('Exit code', code === undefined ? 'none: it was stopped' : String(code)),
    ...part('What the emulator saw', trace),
    '',
  ].join('\n')
}

function headLines(title: string, again: string): string[] {
  return [title, ...again.split('\n'), MARK].map(printable)
}

/** Returns the title at the top of a file of a failure. Undefined for a file of the user. */
function titleIn(text: string): string | undefined {
  const [title, ...others] = text.split('\n').map((line) => line.replace(/^# /, ''))
  return others.includes(MARK) ? title : undefined
}

/**
 * Returns where a failure is written, without the ending. That is over an earlier one only if it is the same: another one
 * may have the same number, and a title that only begins alike.
 */
export async function pathFor(
  { number, title }: Pick<ExploreFailure, 'number' | 'title'>,
  folder: string,
): Promise<string> {
  const wanted = withoutChance(printable(title))
  for (let copy = 1; ; copy++) {
    const words = slugOf(title, LONGEST_SLUG) || 'failure'
    const path = join(folder, `${number}-${words}${copy > 1 ? `-${copy}` : ''}`)
    const texts = await Promise.all(ENDINGS.map((ending) => textAt(path + ending)))
    const titles = texts.flatMap((text) => (text === '' ? [] : [titleIn(text)]))
    if (titles.every((each) => each !== undefined && withoutChance(each) === wanted)) return path
  }
}

/** Returns the names of the failures whose files are in a folder, without their endings. */
export async function failuresIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => [])
  const stems = new Set<string>()
  for (const { base, name, ext } of names.map((each) => parse(each))) {
    // Without the number that they begin with, all logs in a folder of the user would be read.
    if (!/^\d+-/.test(name) || !ENDINGS.includes(ext)) continue
    if (titleIn(await textAt(join(folder, base))) !== undefined) stems.add(name)
  }
  return [...stems]
}

/** Returns the text of a file. It is empty if there is none that can be read. */
function textAt(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
