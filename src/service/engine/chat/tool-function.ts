/** The function of a tool, or of a call of one. Empty if there is none. */
export function functionOf(tool: unknown): Readonly<Record<string, unknown>> {
  const { function: called } = Object(tool) as { function?: unknown }
  return Object(called) as Readonly<Record<string, unknown>>
}
