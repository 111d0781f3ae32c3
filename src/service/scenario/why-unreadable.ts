import { readdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { LONGEST_TEXT } from '../../base/text/text-length.js'
import { jobIdHint } from '../../base/text/evidence.js'
import { didYouMean } from '../../base/text/nearest.js'

/**
 * Says why a file cannot be read, as the end of a sentence and what to do: "there is no such file in /work. Did you mean
 * mine.yaml?"
 *
 * @param path - As the user wrote it.
 */
export function whyUnreadable(path: string, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return `${reasons[code] ?? message}.`
  const folder = dirname(resolve(path))
  const name = basename(path)
  // A slash may stand at the end.
  const before = path.slice(0, path.lastIndexOf(name))
  try {
    const hint = didYouMean(name, readdirSync(folder), (each) => before + each)
    return `there is no such file in ${folder}.${hint}${jobIdHint(name)}`
  } catch {
    return `there is no folder ${folder}.`
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'reading it is not permitted',
  EISDIR: 'it is a folder',
  ERR_STRING_TOO_LONG: `it is larger than a text can be, ${LONGEST_TEXT}`,
}
