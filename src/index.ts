// The public API, by hand: what is not here is not promised.

// The emulator, and what it is made of
export {
  AlreadyListeningError,
  createEmulator,
  Emulator,
  type EmulatorOptions,
} from './create-emulator.js'
export { LOCAL_API_KEY } from './emulator.js'
export { NotIsolatedError } from './worlds.js'
export { type Clock, type ClockMode, RealTimeError } from './world/clock.js'

// Scenarios
export { builtInScenarios } from './built-in-scenarios.js'
export { defineScenario } from './check-scenario.js'
export { loadScenario } from './load-scenario.js'
export { ScenarioError, type ScenarioProblem } from './scenario-error.js'
export type { ScenarioInput } from './engine/scenario.js'

// Time, and what goes wrong, while things go on
export { SettleError, type SettleOptions, type SettleReport } from './settle.js'
export type { AddedFault, FaultControl, FaultScope } from './fault-control.js'

// Ports, and a handler to mount in an Express app
export { ListenError, type Listening, type ListenOptions } from './adapters/listen.js'
export { expressHandler, type Middleware } from './adapters/express.js'

// What is recorded
export type {
  JobEntry,
  Journal,
  JournalEntry,
  JournalListener,
  NoteEntry,
  RequestEntry,
} from './engine/journal.js'

// The API's own rows, for tools that list them
export { operations } from './operations/table.js'
export type { Operation } from './operations/operation.js'
