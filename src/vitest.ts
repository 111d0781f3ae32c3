// The entry `svtrain-emulator/vitest`. Importing it teaches Vitest's `expect` our matchers.

export { type EmulatorFixtures, expect, it, test } from './runners/vitest.js'
