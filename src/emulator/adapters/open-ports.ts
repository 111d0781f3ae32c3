import process from 'node:process'
import { CONNECTION, mayAct } from '../../base/clock/lookout.js'
import { failingWith } from '../../base/text/background-errors.js'
import { startBeat } from '../../base/clock/wall.js'
import { warningOf, type Warning } from '../../service/engine/warnings.js'
import type { OpenPort, PortWatch } from './port-watch.js'
import { warnProcess } from './process-warnings.js'

const BEAT = 1000
/** A warning comes after this number of looks in a row that find nothing else. */
const LOOKS = 3
const MOST_URLS = 2

interface TestProcess {
  /** The kinds of what keeps the process alive. */
  readonly resources: () => readonly string[]
  /**
   * Whether each test has a timer, as in Jest and Mocha. Jest loads this module for each file, so that a connection may
   * belong to a port of another file.
   */
  readonly timesTests: boolean
  readonly warn: (warning: Warning) => void
  readonly beat: (look: () => void) => () => void
}

/**
 * The ports that are open. If nothing else is left in the process of a test runner, such a runner waits forever and does
 * not say why. In other processes, a port may be all that there is to do.
 */
export class OpenPorts implements PortWatch {
  readonly #process: TestProcess
  /** By their servers. */
  readonly #ports = new Map<object, OpenPort>()
  #stop: (() => void) | undefined
  #looks = 0
  /** How many bytes all connections had read at the last look. */
  #bytes = 0
  #hasWarned = false

  constructor(testProcess: TestProcess) {
    this.#process = testProcess
  }

  /** Call it when a port is open. */
  add(server: object, port: OpenPort): void {
    this.#ports.set(server, port)
    if (!this.#hasWarned) this.#stop ??= this.#process.beat(() => this.#look())
  }

  /** Call it when somebody closes the port. */
  delete(server: object): void {
    this.#ports.delete(server)
    if (this.#ports.size === 0) this.#rest()
  }

  #look(): void {
    this.#looks = this.#isAlone() ? this.#looks + 1 : 0
    if (this.#looks < LOOKS) return
    this.#hasWarned = true
    this.#rest()
    const urls = Array.from(this.#ports.values(), ({ url }) => url)
    const left = urls.length - MOST_URLS
    const more = left > 0 ? [`${left} more`] : []
    this.#process.warn(warningOf('open-ports', { urls: [...urls.slice(0, MOST_URLS), ...more] }))
  }

  /** Whether ports and their own connections are all that is left. A client that waits has a connection, too. */
  #isAlone(): boolean {
    const ports = [...this.#ports.values()]
    const connections = ports.flatMap((port) => [...port.connections()])
    const bytes = connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    const isUsed = bytes !== this.#bytes
    this.#bytes = bytes
    const { resources, timesTests } = this.#process
    const own = timesTests ? Infinity : connections.length
    // Node does not list threads, so a client in one shows by its calls alone.
    return !mayAct(resources(), { [CONNECTION]: own }) && !isUsed
  }

  #rest(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#looks = 0
  }
}

// Read when the module loads: Jest removes globals after a file of tests.
const resources = process.getActiveResourcesInfo.bind(process)

/** Whether Jest or Mocha runs tests here. */
const timesTests = typeof (globalThis as { it?: unknown }).it === 'function'

/** The ports of this process. */
export const openPorts = new OpenPorts({
  resources,
  timesTests,
  warn: warnProcess,
  beat: (look) => {
    const warn = (error: Error): void => process.emitWarning(error)
    return isTestProcess() ? startBeat(BEAT, failingWith(warn, look)) : () => {}
  },
})

/** Whether somebody runs tests here. The variables of a runner reach its child processes as well. */
function isTestProcess(): boolean {
  const { moduleLoadList = [] } = process as { moduleLoadList?: readonly string[] }
  return timesTests || moduleLoadList.includes('NativeModule internal/test_runner/harness')
}
