/** A name, and after a colon what is said about it, if anything is. */
export function withDescription(name: string, description: string): string {
  return description === '' ? name : `${name}: ${description}`
}
