import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLive } from '../data/use-live.js'
import { jobStateOf } from '../parts/state.js'
import { counted } from '../parts/amounts.js'

/** Announces changes of job states to screen readers. */
export function JobAnnouncements(): ComponentChildren {
  const jobs = useLive((live) => live.jobs)
  const before = useRef(jobs)
  const [text, setText] = useState('')
  useEffect(() => {
    const changed = [...jobs.values()].filter((job) => {
      const known = before.current.get(job.id)
      return known && jobStateOf(known) !== jobStateOf(job)
    })
    before.current = jobs
    const [first] = changed
    if (!first) return
    const others = changed.length > 1 ? `, and ${counted(changed.length - 1, 'other job')}` : ''
    setText(`Job ${first.ordinal} of ${first.model.name}: ${jobStateOf(first)}${others}`)
  }, [jobs])
  return (
    <p class="hidden-label" aria-live="polite">
      {text}
    </p>
  )
}
