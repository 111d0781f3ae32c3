import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useLive } from '../data/use-live.js'
import { counted, stateOf } from '../parts/wording.js'

/** Announces changes of job states to screen readers. */
export function JobNews(): ComponentChildren {
  const jobs = useLive((live) => live.jobs)
  const announced = useRef({ jobs, news: '' })
  if (announced.current.jobs !== jobs) {
    const changed = [...jobs.values()].filter((job) => {
      const before = announced.current.jobs.get(job.id)
      return before && stateOf(before) !== stateOf(job)
    })
    const [first] = changed
    const { news } = announced.current
    const others = changed.length > 1 ? `, and ${counted(changed.length - 1, 'other job')}` : ''
    announced.current = {
      jobs,
      news: first
        ? `Job ${first.ordinal} of ${first.model.name}: ${stateOf(first)}${others}`
        : news,
    }
  }
  return (
    <p class="hidden-label" aria-live="polite">
      {announced.current.news}
    </p>
  )
}
