import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '..', '..')
const order = (process.env['MUTANT_TESTS'] ?? '').split('\n').map((file) => join(root, file))

/** Runs the test files in the order in which they are given. */
class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => order.indexOf(moduleId)
    return Promise.resolve([...files].sort((a, b) => place(a) - place(b)))
  }
}

// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default defineConfig({
  root,
  test: {
    include: order,
    isolate: false,
    maxWorkers: 1,
    runner: join(import.meta.dirname, 'runner.ts'),
    sequence: { sequencer: AsGiven },
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    experimental: { fsModuleCache: true },
  },
})
