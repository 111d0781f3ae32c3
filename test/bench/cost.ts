/** A repeated operation. */
export interface Row {
  name: string
  /** Called before the row is measured in each round. */
  prepare?: () => void | Promise<void>
  /** Called after the row is measured. */
  leave?: () => void | Promise<void>
  run: () => Promise<void>
}

/**
 * Measures the processor time per run in microseconds, for each row in each round. The rows take turns,
 * so that the load of the machine affects all of them.
 */
export async function costOf(
  rows: readonly Row[],
  { rounds, times }: { rounds: number; times: number },
): Promise<Map<string, number[]>> {
  const costs = new Map<string, number[]>(rows.map(({ name }) => [name, []]))
  for (let round = -2; round < rounds; round++) {
    for (const { name, prepare, leave, run } of rows) {
      await prepare?.()
      const start = process.cpuUsage()
      for (let time = 0; time < times; time++) await run()
      const { user, system } = process.cpuUsage(start)
      await leave?.()
      // The first two rounds are a warm-up.
      if (round >= 0) costs.get(name)!.push((user + system) / times)
    }
  }
  return costs
}
