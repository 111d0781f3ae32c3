import { startBeat, wallNow } from '../../../base/clock/wall.js'
import type {
  ExploredRun,
  ExplorePlan,
  ShrinkStep,
  Trial,
} from '../../../tools/explore/exploration.js'
import { counted } from '../../../base/text/counted.js'
import { formatDuration } from '../../report/format.js'
import { shortIds } from '../../report/trace-lines.js'
import { background } from '../../background.js'
import { printable, type Terminal } from '../../terminal.js'
import { cut, wrapped } from '../../text-width.js'
import { planLines, verdictText } from '../../../tools/explore/report.js'

/** Without a terminal, a line comes after this many runs. */
const RUNS_PER_LINE = 10

interface ProgressOptions {
  readonly terminal: Terminal
  readonly runs: number
  /** Milliseconds. */
  readonly time: number
  /** Returns the trials that run now. */
  readonly running: () => Iterable<Trial>
}

/** Shows what an exploration does: in a status area if there is one, otherwise as lines. */
export class Progress {
  readonly #options: ProgressOptions
  readonly #start = wallNow()
  readonly #stopBeat: () => void
  #done = 0
  readonly #failures = new Set<number>()
  #shrinking: ShrinkStep | undefined
  /** What comes after the exploration. */
  #last: string | undefined

  constructor(options: ProgressOptions) {
    this.#options = options
    const draw = background.callback('show the progress', () => this.#draw())
    this.#stopBeat = options.terminal.statusArea ? startBeat(500, draw) : () => {}
    this.#draw()
  }

  /** Says what is tried in the time, as soon as it is known how long a run takes. */
  plan(plan: ExplorePlan): void {
    planLines(plan).forEach((line) => this.#options.terminal.write(printable(line)))
    this.#draw()
  }

  add(run: ExploredRun): void {
    this.#done++
    const { write } = this.#options.terminal
    if (run.verdict !== 'passed') this.#failed(run)
    if (!this.#options.terminal.statusArea && this.#done % RUNS_PER_LINE === 0) {
      const time = formatDuration(wallNow() - this.#start)
      write(`${this.#counts()} after ${time}${this.#outlook()}`)
    }
    this.#draw()
  }

  shrunk(step: ShrinkStep): void {
    const isNew = this.#shrinking?.failure !== step.failure
    this.#shrinking = step
    const { terminal } = this.#options
    if (!terminal.statusArea && isNew) {
      terminal.write(`Looking for the smallest scenario of failure ${step.failure}`)
    }
    this.#draw()
  }

  /** Says what is done at the end. */
  say(text: string): void {
    this.#last = text
    if (!this.#options.terminal.statusArea) this.#options.terminal.write(text)
    this.#draw()
  }

  /** Removes the status area. */
  stop(): void {
    this.#stopBeat()
    this.#options.terminal.statusArea?.show(() => [])
  }

  #failed({ number, name, verdict, reason = '', failure }: ExploredRun): void {
    const { write, paint, columns } = this.#options.terminal
    const isNew = failure !== undefined && !this.#failures.has(failure)
    if (failure !== undefined) this.#failures.add(failure)
    // Further runs of a failure that is known say nothing new. The table at the end has them.
    if (!isNew) return
    const mark = paint('red', verdictText(verdict))
    const text = `${mark}  run ${number}, ${printable(name)}: ${shortIds(printable(reason))}`
    wrapped(text, columns?.(), 2).forEach(write)
  }

  #counts(): string {
    const { runs } = this.#options
    const failures = this.#failures.size
    const found = failures === 0 ? 'no failure' : counted(failures, 'failure')
    const done = this.#done
    const tried = Number.isFinite(runs)
      ? `${done} of ${counted(runs, 'run')}`
      : counted(done, 'run')
    return `${tried}, ${found}`
  }

  /** How many runs still fit, if not all of them do. The plan knew only the first one, which is often the slowest. */
  #outlook(): string {
    const { runs, time } = this.#options
    // The operations limit runs with kills, and not a number.
    if (!Number.isFinite(runs)) return ''
    const took = wallNow() - this.#start
    const more = Math.max(0, Math.floor((time - took) / (took / this.#done)))
    return more < runs - this.#done ? `; about ${counted(more, 'more run')} fit` : ''
  }

  #draw(): void {
    const { terminal, time, running } = this.#options
    const { statusArea, paint } = terminal
    if (!statusArea) return
    statusArea.show(({ columns }) => {
      const left = Math.max(0, time - (wallNow() - this.#start))
      const first = `${this.#counts()}, at most ${formatDuration(Math.round(left / 1000) * 1000)} left`
      const second = this.#last ?? this.#shrinkingText() ?? this.#runningText([...running()])
      return [paint('bold', cut(first, columns)), cut(printable(second), columns)]
    })
  }

  #shrinkingText(): string | undefined {
    if (!this.#shrinking) return undefined
    const { failure, trials, lines, title } = this.#shrinking
    const smallest = `${counted(lines, 'line')} after ${counted(trials, 'trial')}`
    return `Shrinking failure ${failure} of ${this.#failures.size}, ${smallest}: ${title}`
  }

  #runningText(trials: readonly Trial[]): string {
    const names = trials.filter(({ kind }) => kind !== 'shrink').map(({ name }) => name)
    if (names.length > 0) return `Running: ${names.join(', ')}`
    const isStarting = trials.length === 0 && this.#done === 0
    return isStarting ? 'Starting' : 'Looking for smaller scenarios'
  }
}
