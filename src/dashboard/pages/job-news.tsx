import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useLive } from '../data/use-live.js'
import { jobStateOf } from '../parts/state.js'
import { counted } from '../parts/amounts.js'

/** Announces changes of job states to screen readers. */
export function JobAnnouncements(): ComponentChildren {
  const jobs = useLive((live) => live.jobs)
  const announced = useRef({ jobs, text: '' })
  if (announced.current.jobs !== jobs) {
    const changed = [...jobs.values()].filter((job) => {
      const before = announced.current.jobs.get(job.id)
      return before && jobStateOf(before) !== jobStateOf(job)
    })
    const [first] = changed
    const { text } = announced.current
    const others = changed.length > 1 ? `, and ${counted(changed.length - 1, 'other job')}` : ''
    announced.current = {
      jobs,
      text: first
        ? `Job ${first.ordinal} of ${first.model.name}: ${jobStateOf(first)}${others}`
        : text,
    }
  }
  return (
    <p class="hidden-label" aria-live="polite">
      {announced.current.text}
    </p>
  )
}
