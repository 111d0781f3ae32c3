import type { Clock } from './clock.js'
import { startBeat } from './wall.js'

/** A port of this process. */
export interface OwnPort {
  /** Its connections now. A client in this process may leave one open that it does not use. */
  readonly connections: () => Iterable<unknown>
  /** Whether programs that this process did not start can call it: by a known number, or from another machine. */
  readonly isKnown: boolean
}

/** The open ports of this process, by their servers. */
export const ownPorts = new Map<object, OwnPort>()

/** What keeps a process alive and does nothing: ports, and the streams of the process. */
const PASSIVE = new Set(['TCPServerWrap', 'PipeWrap', 'TTYWrap'])
export const CONNECTION = 'TCPSocketWrap'
const TIMER = 'Timeout'

/**
 * Whether one of these things may act by itself.
 *
 * @param kinds The kinds of what keeps the process alive.
 * @param idle How many of a kind are known to do nothing.
 */
export function mayAct(kinds: readonly string[], idle: Readonly<Record<string, number>>): boolean {
  const left = { ...idle }
  return kinds.some((kind) => {
    if (PASSIVE.has(kind)) return false
    const rest = left[kind] ?? 0
    left[kind] = rest - 1
    return rest <= 0
  })
}

const BEAT = 20
/** How many looks in a row must find nothing. Node does not list all that it computes, such as a password's hash. */
const LOOKS = 10

/** What Vitest knows of the modules of a test. It fetches them over a channel that does not keep the process alive. */
interface VitestWorker {
  readonly resolvingModules?: { readonly size: number }
  readonly evaluatedModules?: {
    readonly idToModuleMap?: ReadonlyMap<string, { promise?: unknown; evaluated?: boolean }>
  }
}

const { process, it, __vitest_worker__ } = globalThis as {
  process?: Partial<NodeJS.Process>
  it?: unknown
  __vitest_worker__?: VitestWorker
}
// Read when the module loads: Jest removes globals after a file of tests.
const resources = process?.getActiveResourcesInfo?.bind(process)
/** Jest and Mocha have a timer for each test, which looks like one of a client. */
const canLook = resources && (typeof it !== 'function' || __vitest_worker__ !== undefined)

// Node lists no threads.
let threads = 0
if (canLook) {
  process?.on?.('worker', (worker) => {
    threads++
    worker.once('exit', () => threads--)
  })
}

/** How many waits look out. Each has one timer. */
let waits = 0

/** What a wait waits for. */
export interface LookoutWorld {
  readonly clock: Pick<Clock, 'mode' | 'nextAt'>
  /** How many requests and deliveries are under way. */
  readonly inFlight: number
}

/** Looks whether what a wait waits for can still come. A wait has one, and a timer. */
export class Lookout {
  #looks = 0
  readonly #world: LookoutWorld | undefined
  readonly #stop: () => void

  /** @param over Called at each look that finds that nothing can come any more. */
  constructor(world: LookoutWorld | undefined, over: () => void = () => {}) {
    this.#world = world
    waits++
    this.#stop = startBeat(BEAT, () => {
      this.#looks = somethingMayAct() ? 0 : this.#looks + 1
      if (this.isOver) over()
    })
  }

  /** Whether nothing can come: neither from this world, nor from this process or a program that it started. */
  get isOver(): boolean {
    if (this.#looks < LOOKS) return false
    if (!this.#world) return true
    const { clock, inFlight } = this.#world
    return inFlight === 0 && !(clock.mode === 'real' && clock.nextAt() !== undefined)
  }

  /** Ends it, with the wait. */
  end(): void {
    waits--
    this.#stop()
  }
}

/** Whether a module that is being imported may go on with the test. */
function importsModules({ resolvingModules, evaluatedModules }: VitestWorker = {}): boolean {
  if ((resolvingModules?.size ?? 0) > 0) return true
  const modules = [...(evaluatedModules?.idToModuleMap?.values() ?? [])]
  return modules.some(({ promise, evaluated }) => promise !== undefined && evaluated !== true)
}

function somethingMayAct(): boolean {
  const ports = [...ownPorts.values()]
  if (!canLook || threads > 0 || ports.some(({ isKnown }) => isKnown)) return true
  if (importsModules(__vitest_worker__)) return true
  const connections = ports.reduce((sum, port) => sum + [...port.connections()].length, 0)
  // A wait that takes turns has an immediate instead of its timer.
  const kinds = resources().map((kind) => (kind === 'Immediate' ? TIMER : kind))
  return mayAct(kinds, { [CONNECTION]: connections, [TIMER]: waits })
}
