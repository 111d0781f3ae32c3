import { basename } from 'node:path'

interface Frame {
  readonly file: string
  readonly line: string
}

/** A frame as Python prints it, the raise last. */
const PYTHON = /^[\s|+]*File "(?<file>[^"]+)", line (?<line>\d+)/
/** A frame as Node.js prints it, the raise first. Behind the last one, the fields of the error begin. */
const NODE = /^\s+at (?:.*\()?(?<file>[^()]+?):(?<line>\d+):\d+\)?(?: \{)?$/
/** The folder of a library, and its name. */
const LIBRARY =
  /[\\/](?:site-packages|dist-packages|node_modules)[\\/](?<name>@[^\\/]+[\\/][^\\/]+|[^\\/]+?)(?:\.py)?(?:[\\/]|$)/
/** Code of the language, and text that has no file. */
const LANGUAGE = /^(?:node:|<)|[\\/]lib[\\/]python[\d.]+[\\/](?!site-packages|dist-packages)/

/** Where an error came from. */
export interface Origin {
  /** The library that raised it. Undefined if the program did. */
  readonly library: string | undefined
  /** The innermost line of the program: `train.py:12`. */
  readonly caller: string | undefined
}

/**
 * Says where an error was raised. Undefined if the output does not tell.
 *
 * @param lines What the program printed, up to the frames after the error.
 * @param at The index of the line with the error.
 */
export function originOf(lines: readonly string[], at: number): Origin | undefined {
  const frames = framesAt(lines, at).filter(({ file }) => !LANGUAGE.test(file))
  if (frames.length === 0) return undefined
  const caller = frames.findLast(({ file }) => !LIBRARY.test(file))
  return {
    library: LIBRARY.exec(frames.at(-1)!.file)?.groups?.['name'],
    caller: caller && `${basename(caller.file)}:${caller.line}`,
  }
}

/** The same as the end of a sentence: ` (raised in the library art, called from train.py:12)`. */
export function originText({ library, caller }: Origin): string {
  if (library === undefined) return ` (raised in ${caller})`
  return ` (raised in the library ${library}${caller === undefined ? '' : `, called from ${caller}`})`
}

/** The frames of an error, the raise last. */
function framesAt(lines: readonly string[], at: number): Frame[] {
  const before = lines.slice(0, at)
  const start = before.findLastIndex((line) => line.includes('Traceback (most recent call last)'))
  if (start !== -1) return framesIn(before.slice(start), PYTHON)
  const after = lines.slice(at + 1)
  const end = after.findIndex((line) => !NODE.test(line))
  return framesIn(end === -1 ? after : after.slice(0, end), NODE).reverse()
}

function framesIn(lines: readonly string[], form: RegExp): Frame[] {
  return lines.flatMap((line) => {
    const { file, line: number } = form.exec(line)?.groups ?? {}
    return file === undefined || number === undefined ? [] : [{ file, line: number }]
  })
}
