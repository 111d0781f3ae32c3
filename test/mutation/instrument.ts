import type { Mutant } from './mutants.js'

/** A mutant with its number in the list. */
export interface Numbered extends Mutant {
  readonly id: number
}

/** Returns a source with one mutant in place of what it replaces. */
export function mutated(text: string, { start, end, form, replacement }: Mutant): string {
  const by = { expression: `(${replacement})`, statement: ';', property: '...{}' }[form]
  return text.slice(0, start) + by + text.slice(end)
}

/**
 * Returns a source that holds all its mutants, each behind a switch: `globalThis.__mutant(17)` says whether
 * mutant 17 is active. Without that function no mutant is.
 */
export function instrumented(text: string, mutants: readonly Numbered[]): string {
  const ordered = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end || a.id - b.id)
  return rendered(0, text.length, ordered)

  function rendered(from: number, to: number, inside: readonly Numbered[]): string {
    let result = ''
    let at = from
    let rest = inside
    while (rest.length > 0) {
      const [mutant, ...later] = rest as [Numbered, ...Numbered[]]
      // One semicolon is enough for all that start here.
      const nested = later
        .filter(({ end }) => end <= mutant.end)
        .map((each) => ({ ...each, begins: each.begins && each.start > mutant.start }))
      result += text.slice(at, mutant.start)
      result += switched(mutant, rendered(mutant.start, mutant.end, nested))
      at = mutant.end
      rest = later.filter(({ end }) => end > mutant.end)
    }
    return result + text.slice(at, to)
  }

  function switched({ id, form, replacement, begins }: Numbered, original: string): string {
    const active = `globalThis.__mutant?.(${id})`
    if (form === 'statement') return `{ if (!${active}) { ${original} } }`
    if (form === 'property') return `...(${active} ? {} : { ${original} })`
    return `${begins ? ';' : ''}(${active} ? (${replacement}) : (${original}))`
  }
}
