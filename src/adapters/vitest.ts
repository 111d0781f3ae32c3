import { expect, test as base, type TestAPI, type TestContext } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../create-emulator.js'
