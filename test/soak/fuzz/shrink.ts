import type { FuzzInput } from './kind.js'

/** Errors with the same signature are the same mistake. */
export function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [first = ''] = error.message.split('\n')
  return `${error.name} ${first.replaceAll(/\d+|"[^"]*"/g, '').slice(0, 60)}`
}

const MOST_TRIES = 60

/**
 * Returns the smallest input that still fails, as far as it is found in a bounded number of attempts. It leaves
 * out mutations first, then parts of the value.
 */
export async function shrunk<Input extends FuzzInput>(
  input: Input,
  fails: (smaller: Input) => Promise<boolean>,
): Promise<Input> {
  let least = input
  let tries = 0
  for (;;) {
    let found: Input | undefined
    for (const smaller of smallerThan(least)) {
      if (++tries > MOST_TRIES) return least
      if (!(await fails(smaller))) continue
      found = smaller
      break
    }
    if (found === undefined) return least
    least = found
  }
}

/** Inputs that are one step smaller. */
function* smallerThan<Input extends FuzzInput>(input: Input): Generator<Input> {
  for (const key of ['mutations', 'edits'] as const) {
    const all = (input as Partial<Record<typeof key, readonly unknown[]>>)[key] ?? []
    if (all.length < 2) continue
    for (const index of all.keys()) yield { ...input, [key]: all.toSpliced(index, 1) }
  }
  if (input.value === undefined) return
  for (const value of smallerValues(input.value)) yield { ...input, value }
}

function* smallerValues(value: unknown): Generator {
  if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, value.length / 2)
    for (const [index, each] of value.entries()) {
      yield value.toSpliced(index, 1)
      for (const smaller of smallerValues(each)) yield value.with(index, smaller)
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      const { [key]: _left, ...rest } = value as Record<string, unknown>
      yield rest
      for (const smaller of smallerValues(each)) yield { ...value, [key]: smaller }
    }
  } else if (typeof value === 'string' && value.length > 8) {
    yield value.slice(0, value.length / 2)
    yield value.slice(value.length / 2)
  }
}
