/**
 * What `svtrain-emulator` exports in a browser: the same emulator, without ports and files. Bundlers choose
 * it by the condition `browser`.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export { createEmulator } from './compose/browser-emulator.js'
export type { EmulatorWithTools as Emulator } from './compose/emulator-with-tools.js'
export type { EmulatorOptions } from './emulator/emulator-options.js'
export type { BaseModelOptions, TokenizerContent } from './emulator/base-model-options.js'
export { NotIsolatedError } from './emulator/emulator.js'
export { LOCAL_API_KEY } from './emulator/local-key.js'
export type { WhichScenario } from './emulator/emulator-options.js'
export { EmulatorError } from './base/text/emulator-error.js'
export { OptionsError } from './base/text/options.js'
export { type Clock, type ClockMode, RealTimeError } from './base/clock/clock.js'

// Scenarios
export { builtInScenarios } from './service/scenario/all-built-in-scenarios.js'
export type { BuiltInScenarioName } from './service/scenario/built-in-names.js'
export { defineScenario } from './service/scenario/define-scenario.js'
export { ScenarioError, type ScenarioProblem } from './service/scenario/scenario-error.js'
export type { ScenarioInput } from './service/scenario/scenario.js'

// Saved worlds
export type { SavedRecord, Snapshot, SnapshotOptions } from './emulator/snapshot.js'
export { SnapshotError } from './emulator/snapshot-error.js'

// Reports
export type { Har, HarDetails, HarEntry, HarField, HarLog, HarPage } from './emulator/har.js'
export type { HarOptions, ReportContents, ReportOptions } from './emulator/report-options.js'

// The bill
export {
  type Bill,
  type BillEstimate,
  type BillMoney,
  type BillOptions,
  type BillRange,
  type BillRow,
  type BillTotals,
  BudgetError,
  type BudgetVerdict,
  type Prices,
  PricesError,
} from './compose/emulator-with-tools.js'

// Time and faults
export { SettleError, type SettleOptions } from './emulator/testing/settle.js'
export type { SettleReport } from './emulator/testing/settle-report.js'
export type { AddedFault, FaultControl } from './emulator/faults.js'
export type { FaultScope } from './service/engine/faults/live-fault.js'

// The records of the account
export type {
  Database,
  FindManyOptions,
  RecordCondition,
  RecordQuery,
  RecordView,
} from './emulator/db.js'

// The journal
export type {
  JobEntry,
  Journal,
  JournalEntry,
  JournalListener,
  NoteEntry,
  RequestEntry,
} from './service/engine/journal.js'

// The operations of the API, for tools
export { operations } from './compose/control-table.js'
export type { Operation } from './service/api/operation.js'
