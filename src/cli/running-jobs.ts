import { startTimer } from '../base/clock/wall.js'
import type { Emulator } from '../emulator/emulator.js'
import type { Job } from '../service/engine/jobs/job.js'
import type { Size, StatusArea } from './status-area.js'
import { type Paint, printable } from './terminal.js'
import { cut, widthOf } from './text-width.js'

/** Milliseconds of real time. Faster changes cannot be read. */
const REDRAWN_EVERY = 100
const MOST_LINES = 8

/** The parts of an emulator whose jobs are shown. */
type JobsSource = Pick<Emulator, 'engine' | 'journal'> &
  Partial<Pick<Emulator, 'worlds' | 'onWorld' | 'worldName'>>

interface ShownJob {
  job: Job
  /** The name of its world. Null if there is only one. */
  world: string | null
}

/**
 * Shows a line for each running job and each stalled one, of all worlds.
 *
 * @returns A function that removes the lines.
 */
export function showRunningJobs(
  emulator: JobsSource,
  { statusArea, paint }: { statusArea: StatusArea; paint: Paint },
): () => void {
  let isScheduled = false
  let stopped = false
  const shownJobs = (): ShownJob[] => {
    const worlds: JobsSource[] = [emulator, ...(emulator.worlds ?? [])]
    const jobs = worlds.flatMap(({ engine, worldName: world = null }) => {
      return [...engine.store.jobs.values()].map((job) => ({ job, world }))
    })
    return jobs.filter(({ job: { over, progress } }) => {
      return !over && (progress.started !== undefined || progress.stalled !== undefined)
    })
  }
  const draw = (): void => {
    isScheduled = false
    const jobs = stopped ? [] : shownJobs()
    statusArea.show((size) => linesFor(jobs, { paint, ...size }))
  }
  const follow = (): void => {
    if (isScheduled) return
    isScheduled = true
    startTimer(REDRAWN_EVERY, emulator.journal.background.callback('show the running jobs', draw))
  }
  const unsubscribe = emulator.journal.subscribe(follow)
  emulator.onWorld?.((world) => void world.journal.subscribe(follow))
  return () => {
    stopped = true
    unsubscribe()
    draw()
  }
}

interface Look extends Size {
  paint: Paint
}

function linesFor(jobs: readonly ShownJob[], look: Look): string[] {
  // What is above the area stays visible in a low terminal.
  const most = Math.max(1, Math.min(MOST_LINES, Math.floor(look.rows / 3)))
  const shown = jobs.slice(0, most).map(({ job, world }) => lineFor(job, { ...look, world }))
  const left = jobs.length - shown.length
  return left > 0 ? [...shown, `… and ${left} more`] : shown
}

const BARS = [20, 10, 0]
/** The longest name, as a share of the width. */
const NAME_SHARE = 1 / 3

/**
 * `poet 8ea2aea6 ██████░░░░░░ running, step 3 of 6, loss 0.52, reward 0.5`. In a narrow terminal, the bar
 * gets shorter, then the last metrics are left out.
 */
export function lineFor(
  job: Job,
  { paint, columns, world = null }: Pick<Look, 'paint' | 'columns'> & { world?: string | null },
): string {
  const { script, model } = job
  const { gradientSteps: step, stalled, started } = job.progress
  const of = Math.max(script.numSequences, step)
  const waiting = started ? [] : ['queued']
  const state = stalled ? [...waiting, 'stalled'].join(', ') : 'running'
  const { loss, reward } = step === 0 ? {} : script.metrics.at(step)
  const figures = Object.entries({ loss, reward })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
  const name = cut(printable(model.name), Math.floor(columns * NAME_SHARE))
  const before = `${world === null ? '' : `${world} `}${name} ${job.id.slice(0, 8)} `
  const parts = [state, `step ${step} of ${of}`, ...figures]
  // A line that fills the last column would make some terminals scroll.
  const room = columns - 1
  for (let count = parts.length; count >= 2; count--) {
    const after = parts.slice(0, count).join(', ')
    const bar = BARS.find((length) => widthOf(before) + length + 1 + widthOf(after) <= room)
    if (bar !== undefined) return before + (bar === 0 ? '' : `${drawn(bar)} `) + after
  }
  return cut(before + parts.slice(0, 2).join(', '), room)

  function drawn(length: number): string {
    const full = of === 0 ? 0 : Math.floor((step / of) * length)
    return paint('cyan', '█'.repeat(full)) + paint('gray', '░'.repeat(length - full))
  }
}
