import { readFileSync } from 'node:fs'
import type { ScenarioError, ScenarioProblem } from '../../service/scenario/scenario-error.js'
import { counted } from '../../base/text/counted.js'
import { type Output, printable } from '../terminal.js'
import { COLUMNS_OF_FILES, cut, widthOf, wrapped } from '../text-width.js'

/** How many problems have an excerpt of the file. The others have one line each. */
const MOST_EXCERPTS = 10

/** Formats an error of a scenario for people: each problem with its place in the file. */
export function scenarioErrorLines(
  error: ScenarioError,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
): string[] {
  const { problems, message, heading } = error
  const width = columns?.()
  if (problems.length === 0) {
    return message.split('\n').flatMap((line) => wrapped(printable(line), width, 0))
  }
  const hides = problems.some(({ hidesOthers }) => hidesOthers)
  const these = problems.length === 1 ? 'it is' : 'these are'
  const others = hides ? `; others may show once ${these} mended` : ''
  const title = `${printable(heading)}: ${counted(problems.length, 'problem')}${others}`
  return [
    paint('bold', title),
    ...problems.flatMap((problem, index) => [
      '',
      ...problemLines(problem, { paint, width, hasExcerpt: index < MOST_EXCERPTS }),
    ]),
    '',
  ]
}

interface Look {
  paint: Output['paint']
  width: number | undefined
  hasExcerpt: boolean
}

function problemLines(problem: ScenarioProblem, { paint, width, hasExcerpt }: Look): string[] {
  const { place, message, file, line, column = 1 } = problem
  // Terminals and editors turn this form into a link.
  const where =
    line === undefined ? '' : `${paint('cyan', printable(`${file}:${line}:${column}`))} `
  const named = place === '' ? '' : `${printable(place)}: `
  return [
    ...wrapped(`  ${where}${named}${paint('red', printable(message))}`, width, 4),
    ...(hasExcerpt ? excerpt(problem, { paint, width: width ?? COLUMNS_OF_FILES }) : []),
  ]
}

/** The line of the file with the one before it, and a caret below the wrong place. */
function excerpt(
  { file, line, column = 1 }: ScenarioProblem,
  { paint, width }: { paint: Output['paint']; width: number },
): string[] {
  const source = line === undefined ? undefined : linesOf(file)
  if (line === undefined || source?.[line - 1] === undefined) return []
  const digits = String(line).length
  const shown = (number: number, mark: string): string => {
    const start = `  ${mark} ${String(number).padStart(digits)} | `
    return start + cut(printable(source[number - 1]!.replaceAll('\t', ' ')), width - start.length)
  }
  const before = source[line - 1]!.slice(0, column - 1).replaceAll('\t', ' ')
  const caret = `    ${' '.repeat(digits)} | ${' '.repeat(widthOf(printable(before)))}`
  return [
    ...(line > 1 ? [paint('gray', shown(line - 1, ' '))] : []),
    shown(line, '>'),
    ...(widthOf(caret) < width ? [caret + paint('red', '^')] : []),
  ]
}

function linesOf(file: string | undefined): string[] | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
  } catch {
    // It was removed since, or it is not a file: the text came with a call.
    return undefined
  }
}
