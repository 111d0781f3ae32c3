import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { introduction } from './test/support/introduction.js'
import { ofOtherSuites, suites } from './test/suites.js'

// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default defineConfig({
  test: {
    // One more than there are processors: many tests wait for a process or a browser.
    maxWorkers: availableParallelism() + 1,
    // Compiles each module once for all runs. It makes the start of a file a third faster.
    experimental: { fsModuleCache: true },
    projects: Object.entries(suites).map(
      ([name, { include, isolate = false, limit, globalSetup, maxConcurrency = 5 }]) => ({
        plugins: [introduction()],
        test: {
          name,
          include: [...include],
          exclude: [...configDefaults.exclude, ...(name === 'quick' ? ofOtherSuites : [])],
          isolate,
          maxConcurrency,
          testTimeout: limit,
          hookTimeout: limit,
          expect: { poll: { timeout: limit } },
          ...(globalSetup === undefined ? {} : { globalSetup: [globalSetup] }),
        },
      }),
    ),
  },
})
