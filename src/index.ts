/**
 * Creates emulators in Node: in process, or on ports. Only the names that an entry point exports are public.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
// The emulator
export { createEmulator, NodeEmulator as Emulator } from './compose/node-emulator.js'
export { AlreadyListeningError } from './compose/listening-emulator.js'
export {
  IsolatedDataError,
  type NodeEmulatorOptions as EmulatorOptions,
} from './compose/node-runtime.js'
export { type EmulatorSinkOptions, SinkAttachedError } from './compose/emulator-sink.js'
export { NotIsolatedError } from './emulator/emulator.js'
export { LOCAL_API_KEY } from './emulator/local-key.js'
export { EmulatorError } from './base/text/emulator-error.js'
export { RemovedError } from './base/text/removed-error.js'
export { OptionsError } from './base/text/options.js'
export { type Clock, type ClockMode, RealTimeError } from './base/clock/clock.js'

export type { ContractVersion } from './service/contract/versions.js'

// Scenarios
export { builtInScenarios } from './service/scenario/all-built-in-scenarios.js'
export type { BuiltInScenarioName } from './service/scenario/built-in-names.js'
export type { ResetOptions } from './emulator/emulator.js'
export type { WhichScenario } from './emulator/emulator-options.js'
export type { BaseModelOptions, TokenizerContent } from './emulator/base-model-options.js'
export { defineScenario } from './service/scenario/define-scenario.js'
export { loadScenario } from './service/scenario/load-scenario.js'
export { ScenarioError, type ScenarioProblem } from './service/scenario/scenario-error.js'
export type { ScenarioInput } from './service/scenario/scenario.js'

// Saved worlds
export type { SavedRecord, Snapshot, SnapshotOptions } from './emulator/snapshot.js'
export { SnapshotError } from './emulator/snapshot-error.js'

// Reports
export type { Har, HarDetails, HarEntry, HarField, HarLog, HarPage } from './emulator/har.js'
export type { HarOptions, ReportContents, ReportOptions } from './emulator/report-options.js'
export { DataFolderError } from './emulator/adapters/data-folder-error.js'

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

// Webhooks
export { NotFoundError, type Webhooks } from './webhooks/sending/webhooks.js'
export { UnknownEventError, type TriggerFacts } from './webhooks/sending/trigger.js'
export type { Attempt, Delivery } from './webhooks/sending/delivery.js'
export type { Execution } from './webhooks/sending/execution.js'
export type {
  Send,
  DeliveryRequest,
  /** @deprecated Use `DeliveryRequest`. */
  DeliveryRequest as OutgoingRequest,
  Answered,
} from './webhooks/sending/transport.js'
export { defaultWebhooks } from './webhooks/sending/default-webhooks.js'
export type {
  WebhookReceiver,
  /** @deprecated Use `WebhookReceiver`. */
  WebhookReceiver as AddedReceiver,
} from './webhooks/sending/webhook-receiver.js'

// Arranging and verifying in tests
export type {
  ArtifactCollectionDetails,
  ArtifactDetails,
  ListedArtifact,
} from './emulator/artifact-details.js'
export type { Artifacts, ArtifactsWhere } from './emulator/artifacts.js'
export type { ArtifactToPut } from './emulator/artifact-to-put.js'
export type { Checkpoints, CheckpointToAdd } from './emulator/checkpoints.js'
export type {
  Database,
  FindManyOptions,
  RecordCondition,
  RecordQuery,
  RecordView,
} from './emulator/db.js'
export type { Jobs, JobToStart } from './emulator/jobs.js'
export {
  ArrangeError,
  type Models,
  type ModelToCreate,
  type WhichModel,
} from './emulator/models.js'
export type {
  HistoryOptions,
  HistoryRow,
  ListedRun,
  RunDetails,
  Runs,
  RunsWhere,
  StoredContent,
} from './emulator/runs.js'
export { ClientCheckError, type ClientChecks } from './emulator/testing/client-checks.js'
export { type JobHandle, NoSuchJobError, type WhichJob } from './emulator/testing/job-handle.js'
export { type Pending, PendingError } from './emulator/testing/pending.js'
export {
  type RequestPattern,
  UnknownOperationError,
  type WhichRequest,
} from './emulator/testing/request-pattern.js'
export { NoSuchRequestError, type Requests, type WaitOptions } from './emulator/testing/requests.js'

// Ports, and a handler for an Express app
export { ListenError } from './emulator/adapters/bind.js'
export type { Listening } from './emulator/adapters/listen.js'
export type { ListenOptions } from './emulator/adapters/listen-options.js'
export type { PortLimits } from './emulator/adapters/port-limits.js'
export { expressHandler } from './emulator/adapters/express.js'
export type { Middleware } from './emulator/adapters/port-app.js'

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
export type { AddedAnswer, ScriptedAnswer } from './webhooks/sink/answers.js'
export type { DeliveryMatch, DeliveryPattern } from './webhooks/sink/match.js'
export type { ReceivedDelivery } from './webhooks/sink/received-delivery.js'
export { SinkError } from './webhooks/sink/sink-error.js'
export type { Cause, DeliveryWaitOptions } from './webhooks/sink/sink-options.js'

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
} from './service/engine/journal.js'

// The operations of the API, for tools
export { operations } from './compose/control-table.js'
export type { OperationName } from './service/contract/operation-names.js'
export type { Operation } from './service/api/operation.js'

// What was removed. The types do not show it.
/** @internal */
export { ConductError, CoverageError, mergeCoverage } from './base/text/removed-exports.js'
