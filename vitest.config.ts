import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default defineConfig({
  // One more than there are processors: many tests wait for a process or a browser.
  test: { maxWorkers: availableParallelism() + 1 },
})
