/** A positive number from a variable of the environment. */
export function numberFrom(name: string, usual: number): number {
  const value = Number(process.env[name] ?? usual)
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`${name} must be a positive number, got ${JSON.stringify(process.env[name])}.`)
}
