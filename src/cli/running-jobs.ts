import type { Emulator } from '../emulator/emulator.js'
import type { Job } from '../engine/jobs/job.js'
import type { JournalEntry } from '../engine/journal.js'
import { startTimer } from '../clock/wall.js'
import type { StatusArea } from './status-area.js'
import { type Paint, printable } from './terminal.js'

/** Milliseconds of real time. Faster changes cannot be read. */
const REDRAWN_EVERY = 100
const MOST_LINES = 8

/**
 * Shows a line for each running job.
 *
 * @returns A function that removes the lines.
 */
export function showRunningJobs(
  emulator: Pick<Emulator, 'engine' | 'journal'>,
  { statusArea, paint }: { statusArea: StatusArea; paint: Paint },
): () => void {
  const running = new Set<string>()
  let isScheduled = false
  const draw = (): void => {
    isScheduled = false
    const jobs = [...running].flatMap((id) => emulator.engine.store.jobs.get(id) ?? [])
    statusArea.show(linesFor(jobs, { paint, columns: statusArea.columns }))
  }
  const unsubscribe = emulator.journal.subscribe((entry) => {
    if (!follow(entry, running) || isScheduled) return
    isScheduled = true
    startTimer(REDRAWN_EVERY, draw)
  })
  return () => {
    unsubscribe()
    running.clear()
    draw()
  }
}

/** Updates the running jobs. Returns whether the lines change. */
function follow(entry: JournalEntry, running: Set<string>): boolean {
  if (entry.kind !== 'job') return false
  const { event, jobId } = entry
  if (event === 'training_started' || event === 'gradient_step') running.add(jobId)
  else running.delete(jobId)
  return true
}

interface Look {
  paint: Paint
  columns: number
}

function linesFor(jobs: readonly Job[], look: Look): string[] {
  const shown = jobs.slice(0, MOST_LINES).map((job) => lineFor(job, look))
  const left = jobs.length - shown.length
  return left > 0 ? [...shown, `… and ${left} more`] : shown
}

const BAR = 20

/** `poet 8ea2aea6 ██████░░░░░░ running, step 3 of 6, loss 0.52, reward 0.5` */
export function lineFor(job: Job, { paint, columns }: Look): string {
  const { gradientSteps: step, script, stalled, model } = job
  const of = Math.max(script.numSequences, step)
  const full = of === 0 ? 0 : Math.floor((step / of) * BAR)
  const state = stalled ? 'stalled' : 'running'
  const { loss, reward } = step === 0 ? {} : script.metricsAt(step)
  const figures = Object.entries({ loss, reward })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
  const before = `${printable(model.name)} ${job.id.slice(0, 8)} `
  const after = ` ${[state, `step ${step} of ${of}`, ...figures].join(', ')}`
  // If there is not enough room, leave the bar out.
  const bar = before.length + BAR + after.length < columns
  if (!bar) return (before.trimEnd() + after).slice(0, Math.max(0, columns - 1))
  const drawn = paint('cyan', '█'.repeat(full)) + paint('gray', '░'.repeat(BAR - full))
  return before + drawn + after
}
