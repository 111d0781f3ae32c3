import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { generated, hashOfSources, readStamp, root, writeGenerated } from './.build/stamp.js'
import { introduction } from './test/build/introduction.js'
import { ofOtherSuites, suites, type Suite } from './test/suites.js'

// A new clone runs its tests without a build.
if (!existsSync(join(root, generated))) writeGenerated()
else if (readStamp()?.sources !== hashOfSources()) {
  process.stderr.write(
    'dist/ is older than its sources. Tests that start the command refuse it: run `npm run build`.\n',
  )
}

/** What all runs have. */
export const shared = {
  // One more than there are processors: many tests wait for a process or a browser.
  maxWorkers: availableParallelism() + 1,
  // Compiles each module once for all runs. It makes the start of a file a third faster.
  experimental: { fsModuleCache: true },
}

interface Settings {
  include: string[]
  isolate: boolean
  maxConcurrency: number
  testTimeout: number
  hookTimeout: number
  expect: { poll: { timeout: number } }
  globalSetup?: string[]
}

/** The settings of the files of a suite. A worker loads the modules of the emulator once, for all of its files. */
export function settingsOf({
  include,
  limit,
  globalSetup,
  maxConcurrency = 5,
}: Pick<Suite, 'include' | 'limit' | 'globalSetup' | 'maxConcurrency'>): Settings {
  return {
    include: [...include],
    isolate: false,
    maxConcurrency,
    testTimeout: limit,
    hookTimeout: limit,
    expect: { poll: { timeout: limit } },
    ...(globalSetup === undefined ? {} : { globalSetup: [globalSetup] }),
  }
}

// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default defineConfig({
  test: {
    ...shared,
    projects: Object.entries(suites).map(([name, suite]) => ({
      plugins: [introduction()],
      test: {
        name,
        exclude: [...configDefaults.exclude, ...(name === 'quick' ? ofOtherSuites : [])],
        ...settingsOf(suite),
      },
    })),
  },
})
