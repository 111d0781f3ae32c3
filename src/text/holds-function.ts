/** Whether there is a function in it, which cannot be written down. */
export function holdsFunction(value: unknown): boolean {
  if (typeof value === 'function') return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsFunction)
}
