const MOST_REMEMBERED = 1024
const LONGEST_REMEMBERED = 65_536

/** Remembers what was made of a text. Rollouts send the same texts again. Long texts would fill the memory. */
export function remember<V>(
  known: Map<string, V>,
  text: string,
  value: V,
  most = MOST_REMEMBERED,
): void {
  if (!isShort(text)) return
  if (known.size === most) known.clear()
  known.set(text, value)
}

/** Whether a text is short enough to be remembered. */
export function isShort(text: string): boolean {
  return text.length <= LONGEST_REMEMBERED
}
