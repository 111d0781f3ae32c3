const LONGEST = 4000

/**
 * The end of a text of a prompt, where the question usually is, with single spaces. Long texts and long runs of
 * spaces would make expressions slow.
 */
export function promptEnd(text: string): string {
  return text.slice(-LONGEST).replaceAll(/\s+/g, ' ')
}
