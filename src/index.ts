/**
 * Creates emulators in Node: in process, or on ports. Only the names that an entry point exports are public.
 *
 * @packageDocumentation
 */

// The emulator
export { createEmulator, Emulator } from './compose/node-emulator.js'
export {
  AlreadyListeningError,
  IsolatedDataError,
  type NodeEmulatorOptions as EmulatorOptions,
} from './compose/node-platform.js'
export { type EmulatorSinkOptions, SinkAttachedError } from './compose/emulator-sink.js'
export { LOCAL_API_KEY, NotIsolatedError } from './emulator/emulator.js'
export { EmulatorError } from './text/emulator-error.js'
export { OptionsError } from './text/options.js'
export { type Clock, type ClockMode, RealTimeError } from './clock/clock.js'

export type { ContractVersion } from './contract/versions.js'

// Scenarios
export { builtInScenarios, type BuiltInScenarioName } from './scenario/built-in-scenarios.js'
export type { ResetOptions, WhichScenario } from './emulator/emulator.js'
export { defineScenario } from './scenario/check-scenario.js'
export { loadScenario } from './scenario/load-scenario.js'
export { ScenarioError, type ScenarioProblem } from './scenario/scenario-error.js'
export type { ScenarioInput } from './scenario/scenario.js'

// Saved worlds
export {
  type SavedRecord,
  SnapshotError,
  type Snapshot,
  type SnapshotOptions,
} from './emulator/snapshot.js'

// Reports
export type {
  Har,
  HarDetails,
  HarEntry,
  HarField,
  HarLog,
  HarOptions,
  HarPage,
  ReportContents,
  ReportOptions,
} from './emulator/report-options.js'
export { DataFolderError } from './adapters/data-folder-error.js'

// Time and faults
export { SettleError, type SettleOptions, type SettleReport } from './testing/settle.js'
export type { AddedFault, FaultControl } from './emulator/faults.js'
export type { FaultScope } from './engine/faults/live-fault.js'

// Webhooks
export { NotFoundError, type Webhooks } from './webhooks/webhooks.js'
export { UnknownEventError, type TriggerFacts } from './webhooks/trigger.js'
export type { Attempt, Delivery, Execution } from './webhooks/delivery.js'
export type { Send, OutgoingRequest, Answered } from './webhooks/transport.js'
export {
  defaultWebhooks,
  type WebhookReceiver,
  /** @deprecated Use `WebhookReceiver`. */
  type WebhookReceiver as WebhookTarget,
} from './webhooks/receivers.js'

// Arranging and verifying in tests
export type { Checkpoints, CheckpointToAdd } from './emulator/checkpoints.js'
export type { Database, RecordView } from './emulator/db.js'
export type { Jobs, JobToStart } from './emulator/jobs.js'
export {
  ArrangeError,
  type Models,
  type ModelToCreate,
  type WhichModel,
} from './emulator/models.js'
export {
  ClientCheckError,
  type ClientChecks,
  /** @deprecated Use `ClientCheckError`. */
  ClientCheckError as ConductError,
  /** @deprecated Use `ClientChecks`. */
  type ClientChecks as ConductChecks,
} from './testing/client-checks.js'
export {
  type CoverageGroup,
  type CoverageReport,
  type CoveredBehavior,
  mergeCoverage,
  type UnusedGroup,
} from './coverage/report.js'
export type { OperationUse } from './coverage/recorder.js'
export type { Suggestion } from './coverage/suggestions.js'
export { CoverageError } from './adapters/coverage-error.js'
export { type JobHandle, NoSuchJobError, type WhichJob } from './testing/job-handle.js'
export { type Pending, PendingError } from './testing/pending.js'
export {
  type RequestPattern,
  UnknownOperationError,
  type WhichRequest,
} from './testing/request-pattern.js'
export { NoSuchRequestError, type Requests, type WaitOptions } from './testing/requests.js'

// Ports, and a handler for an Express app
export { ListenError, type Listening, type ListenOptions } from './adapters/listen.js'
export type { PortLimits } from './adapters/port-limits.js'
export { expressHandler, type Middleware } from './adapters/express.js'

// Receiving webhooks
export {
  createWebhookSink,
  openWebhookSink,
  type RecordingOptions,
  type SinkListening,
  type SinkListenOptions,
  WebhookSink,
  type WebhookSinkOptions,
} from './compose/create-sink.js'
export type { AddedAnswer, ScriptedAnswer } from './sink/answers.js'
export type { DeliveryMatch, DeliveryPattern } from './sink/match.js'
export type { ReceivedDelivery } from './sink/received-delivery.js'
export { SinkError } from './sink/sink-error.js'
export type { Cause, DeliveryWaitOptions } from './sink/sink.js'

// The journal
export type {
  DeliveryEntry,
  JobEntry,
  Journal,
  JournalEntry,
  JournalListener,
  NoteEntry,
  ReceiptEntry,
  RequestEntry,
} from './engine/journal.js'

// The operations of the API, for tools
export { operations } from './compose/control-table.js'
export type { OperationName } from './contract/operation-names.js'
export type { Operation } from './api/operation.js'
