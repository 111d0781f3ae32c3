import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default defineConfig({
  // One more than there are processors: many tests wait for a process or a browser.
  test: {
    maxWorkers: availableParallelism() + 1,
    // What a test waits for may take as long as the test itself: a busy machine is not a failure.
    expect: { poll: { timeout: 30_000 } },
  },
})
