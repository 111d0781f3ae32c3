import type { Host } from '../../service/contract/exchange.js'
import type { Environment } from '../environment.js'

/** A mistake in the setup. Each text is one or two sentences. */
export interface Problem {
  /** What is wrong, with the value. */
  readonly what: string
  /** What it does to a program or a test. */
  readonly effect: string
  /** What to do. */
  readonly repair: string
}

/** What a check found. */
export interface Diagnosis {
  /** What is well. It is printed if there are no problems. */
  readonly fine: string
  readonly problems: readonly Problem[]
}

/** Looks at one part of the setup. */
export interface Check {
  /** `ports`. It names the check in the output of `--json`. */
  readonly name: string
  readonly look: (machine: Machine) => Diagnosis | Promise<Diagnosis>
}

/** A port of an emulator. */
export interface EmulatorPort {
  /** The API that answers on it. */
  readonly api: Host
  /** The base URLs of both APIs. */
  readonly training: string
  readonly inference: string
}

/** Who answers at a port of this machine. */
export type Answering = 'nobody' | 'another server' | EmulatorPort

/** What the checks look at. */
export interface Machine {
  readonly environment: Environment
  /** The working directory. */
  readonly folder: string
  /** What a user types to start this program: `npx svtrain-emulator`. */
  readonly program: string
  /** The version of this program. */
  readonly version: string
  /** The version of Node, without `v`. */
  readonly node: string
  /** The folder for temporary files. */
  readonly temporaryFolder: string
  /** Its host name, and the addresses of its interfaces. */
  readonly ownHosts: readonly string[]
  /** Asks who listens at a port. `host` is a name or an address of this machine. */
  readonly answersAt: (port: number, host?: string) => Promise<Answering>
  /** Whether a call is answered with 401 because of its key. */
  readonly refusesKey: (url: string, key: string) => Promise<boolean>
  /** The addresses of a host name. Empty if it has none. */
  readonly addressesOf: (hostname: string) => Promise<readonly string[]>
  /** The versions of installed Python packages. Undefined if there is no Python. */
  readonly pythonPackages: (
    names: readonly string[],
  ) => Promise<Readonly<Record<string, string>> | undefined>
}

/** What a check found. Problems that are not there are undefined. */
export function diagnosis(fine: string, problems: readonly (Problem | undefined)[]): Diagnosis {
  return { fine, problems: problems.filter((each) => each !== undefined) }
}
