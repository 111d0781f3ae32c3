// The entry `svtrain-emulator/vitest`. Importing it adds the matchers to Vitest's `expect`.

export { type EmulatorFixtures, expect, it, test } from './runners/vitest.js'
