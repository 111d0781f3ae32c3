// The entry `svtrain-emulator/jest`: `expect.extend(matchers)`.

export { type EmulatorMatchers, matchers } from './runners/jest.js'
