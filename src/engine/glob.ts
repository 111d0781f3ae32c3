import picomatch from 'picomatch'

// A glob is compiled once for all that it is held against; no world leaves anything here.
const compiled = new Map<string, (text: string) => boolean>()

/** Whether a text fits a glob such as `poet*`, or one of several. A star fits slashes, too. */
export function fitsGlob(text: string, glob: string | readonly string[]): boolean {
  if (typeof glob !== 'string') return glob.some((each) => fitsGlob(text, each))
  if (glob === text) return true
  let test = compiled.get(glob)
  if (!test) compiled.set(glob, (test = picomatch(glob, OPTIONS)))
  return test(text)
}

/** What fits a glob, as a regular expression. */
export function globExpression(glob: string): RegExp {
  return picomatch.makeRe(glob, OPTIONS)
}

const OPTIONS = { bash: true, dot: true }
