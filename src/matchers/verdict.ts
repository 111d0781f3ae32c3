/** What a matcher says, as Vitest and Jest take it. `message` is asked for only on failure. */
export interface Verdict {
  pass: boolean
  message: () => string
}
