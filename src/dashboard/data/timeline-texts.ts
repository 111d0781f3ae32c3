import type { TimelineItem } from '../../emulator/control/schemas/timeline.js'

/*
 * The entries of the timeline have a sentence each, and no fields for what follows. All that the page reads in
 * these sentences is in this file, and its test compares it with the sentences of an emulator.
 */

interface StepText {
  /** The name and the id of the job, with the space after them. Empty on the page of the job. */
  job: string
  step: number
  steps: number
  /** `loss 0.9, reward 0.5` */
  metrics: string | undefined
}

const STEP = /^(?<job>.*?)step (?<step>\d+) of (?<steps>\d+)(?:, (?<metrics>.*))?$/s

/** Reads `poet 3f2a91bc step 3 of 1000, loss 0.9`. Undefined if it is about something else. */
export function readStep(text: string): StepText | undefined {
  const { job = '', step, steps, metrics } = STEP.exec(text)?.groups ?? {}
  return step === undefined ? undefined : { job, step: Number(step), steps: Number(steps), metrics }
}

/** The method and the path in the text of a request, without the query. */
export function callIn(text: string): string {
  return text.split(/[ ?]/, 2).join(' ')
}

/** Whether the text of a request is about one that only reads. */
export function isRead(text: string): boolean {
  return text.startsWith('GET ')
}

/** The text of a job event without `poet 3f2a91bc`. */
export function withoutJob({ kind, text, job_id }: TimelineItem): string {
  if (kind !== 'job' || job_id === null) return text
  const id = ` ${job_id.slice(0, 8)} `
  const at = text.indexOf(id)
  return at === -1 ? text : text.slice(at + id.length)
}
