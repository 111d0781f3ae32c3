/** Something that is done over and over. */
export interface Row {
  name: string
  /** Called before each round's turn. */
  prepare?: () => void | Promise<void>
  /** Called after it. */
  leave?: () => void | Promise<void>
  run: () => Promise<void>
}

/**
 * Microseconds of processor time a run, for each row, once a round. The rows take turns, so that all
 * see one machine.
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
      // The first two rounds warm up.
      if (round >= 0) costs.get(name)!.push((user + system) / times)
    }
  }
  return costs
}
