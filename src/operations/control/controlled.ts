import type { ApiError } from '../../contract/errors.js'
import type { Engine } from '../../engine/engine.js'
import type { FaultRule, Scenario } from '../../engine/scenario.js'
import type { ClockMode } from '../../world/clock.js'

/** What the control API acts upon, as far as it needs it: the composition root, seen from below. */
export interface Controlled {
  /** The world as it is now; a reset makes another. */
  readonly engine: Engine
  readonly version: string
  readonly seed: number
  readonly basePath: string
  readonly trainingUrl: string
  readonly inferenceUrl: string
  readonly access: ControlAccess
  /** Aborted when the emulator stops; streams end by it. */
  readonly stopping: AbortSignal
  useClock: (mode: ClockMode, options?: { speed?: number }) => void
  settle: (promise?: undefined, options?: SettleBounds) => Promise<SettledReport>
  follow: (scenario: Scenario) => void
  reset: (scenario?: Scenario) => void
  /** What needs the schema library or a YAML writer, loaded when it is asked for. */
  readonly workshop: Workshop
}

/** What is read from clients, or written for them, with libraries too heavy for every start. */
export interface Workshop {
  scenarios: () => Promise<readonly Scenario[]>
  scenarioNamed: (name: string) => Promise<Scenario | ApiError>
  readScenario: (input: unknown) => Promise<Scenario | ApiError>
  yamlOf: (scenario: Scenario) => Promise<string>
  readFault: (input: unknown) => Promise<FaultRule | ApiError>
}

/** Who may use the control API. */
export interface ControlAccess {
  /** Asked of every call that changes something, where there is one. */
  token?: string | undefined
  /** Host names under which it may be called, besides loopback ones. */
  allowedHosts?: readonly string[] | undefined
  /** Whether it may be called by any IP address: the port is bound beyond loopback. */
  beyondLoopback?: boolean | undefined
}

interface SettleBounds {
  within?: string | number
  most?: number
}

interface SettledReport {
  readonly from: string
  readonly to: string
  readonly happened: number
  toString: () => string
}
