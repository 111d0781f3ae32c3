import { basename } from 'node:path'

interface Frame {
  readonly file: string
  readonly line: string
}

/** A frame as Python prints it, the raise last. */
const PYTHON = /^[\s|+]*File "(?<file>[^"]+)", line (?<line>\d+)/
/** A frame as Node.js prints it, the raise first. */
const NODE = /^\s+at (?:.*\()?(?<file>[^()]+?):(?<line>\d+):\d+\)?$/
/** The folder of a library, and its name. */
const LIBRARY =
  /[\\/](?:site-packages|dist-packages|node_modules)[\\/](?<name>@[^\\/]+[\\/][^\\/]+|[^\\/]+?)(?:\.py)?(?:[\\/]|$)/
/** Code of the language, and text that has no file. */
const LANGUAGE = /^(?:node:|<)|[\\/]lib[\\/]python[\d.]+[\\/](?!site-packages|dist-packages)/

/**
 * Says that an error was raised in a library, and which line of the program called it. Empty if the program itself raised
 * it, or if the output does not tell.
 *
 * @param lines What the program printed, up to the frames after the error.
 * @param at The index of the line with the error.
 */
export function raisedIn(lines: readonly string[], at: number): string {
  const frames = framesAt(lines, at).filter(({ file }) => !LANGUAGE.test(file))
  const { name } = LIBRARY.exec(frames.at(-1)?.file ?? '')?.groups ?? {}
  if (name === undefined) return ''
  const caller = frames.findLast(({ file }) => !LIBRARY.test(file))
  const called = caller ? `, called from ${basename(caller.file)}:${caller.line}` : ''
  return ` (raised in the library ${name}${called})`
}

/** The frames of an error, the raise last. */
function framesAt(lines: readonly string[], at: number): Frame[] {
  const before = lines.slice(0, at)
  const start = before.findLastIndex((line) => line.includes('Traceback (most recent call last)'))
  if (start !== -1) return framesIn(before.slice(start), PYTHON)
  const after = lines.slice(at + 1)
  const end = after.findIndex((line) => !NODE.test(line) && /^\S/.test(line))
  return framesIn(end === -1 ? after : after.slice(0, end), NODE).reverse()
}

function framesIn(lines: readonly string[], form: RegExp): Frame[] {
  return lines.flatMap((line) => {
    const { file, line: number } = form.exec(line)?.groups ?? {}
    return file === undefined || number === undefined ? [] : [{ file, line: number }]
  })
}
