/** A token of an expression: a text between `\\Q` and `\\E`, an escape, a class, a repetition, or a character. */
const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[xpPu]\{[^}]*\}|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\\\]])*\]|\{(?<least>\d+)(?:,(?<most>\d*))?\}|\(\?(?:P?<\w+>|[\w-]*:)|\(\?[\w-]*\)|[^]/gu

/** Flags and an empty text are no part: a repetition after them repeats the part before. */
const NO_PART = /^(?:\(\?[\w-]*\)|\\Q(?:\\E)?)$/

/**
 * Returns a number of instructions that a compiled expression does not exceed. Takes linear time, and reads
 * nothing but the groups and repetitions.
 */
export function mostInstructions(source: string): number {
  const around: { all: number; last: number }[] = []
  // What is done of the current group, and the part that a repetition repeats.
  let [all, last] = [3, 0]
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (least !== undefined) last = repeated(Math.max(last, 1), Number(least), most)
    else if (token === '*' || token === '+' || token === '?') last += 2
    else if (token === ')') {
      const inside = all + last
      ;({ all, last } = around.pop() ?? { all: inside, last: 0 })
      all += last
      last = inside
    } else if (!NO_PART.test(token)) {
      all += last
      last = 0
      if (token.startsWith('(')) {
        around.push({ all, last })
        ;[all, last] = [3, 0]
      } else if (token === '|') all += 3
      else {
        // Of a literal text, a repetition repeats the last character.
        all += token.startsWith('\\Q') ? token.length : 0
        last = 1
      }
    }
  }
  return around.reduce((sum, group) => sum + group.all + group.last, all + last)
}

/** Of `a{2}`, `a{2,}` and `a{2,5}`. What is optional needs one instruction more. */
function repeated(size: number, least: number, written: string | undefined): number {
  const most = written === '' ? least + 1 : Number(written ?? least)
  return least * size + Math.max(0, most - least) * (size + 1) + 1
}
