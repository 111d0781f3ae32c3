/** A run may last for days, and its scenarios may change with each test. */
const MOST_REMEMBERED = 1000

/** Returns a function that compiles a text once, and not again with the next call. All worlds share what it remembers. */
export function compiledOnce<Compiled>(
  compile: (text: string) => Compiled,
): (text: string) => Compiled {
  const known = new Map<string, Compiled>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const compiled = compile(text)
    if (known.size === MOST_REMEMBERED) known.clear()
    known.set(text, compiled)
    return compiled
  }
}
