/** Formats what was thrown. Any code may have thrown it. */
export function thrownText(error: unknown): string {
  try {
    return String(error)
  } catch {
    return typeof error
  }
}
