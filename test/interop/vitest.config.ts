import { defineConfig } from 'vitest/config'

// oxlint-disable-next-line import/no-default-export -- the form that vitest asks for
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    globalSetup: [`${import.meta.dirname}/setup.ts`],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Shows skipped tests with their reason.
    reporters: ['verbose'],
  },
})
