/** Formats the arguments that a scenario gives a call as JSON. The texts among them are filled in, and escaped then. */
export function filledArguments(args: object, fill: (text: string) => string): string {
  return JSON.stringify(args, (_key, value: unknown) => {
    return typeof value === 'string' ? fill(value) : value
  })
}
