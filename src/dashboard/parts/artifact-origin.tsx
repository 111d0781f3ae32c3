import type { ComponentChildren } from 'preact'
import type { ListedArtifact as Artifact } from '../../emulator/control/schemas.js'
import { useLive } from '../data/use-live.js'
import { linkTo } from './link.js'
import { shortId } from './wording.js'

/** The job that made a checkpoint, or the run that logged an artifact. */
export function Origin({ of: { job, run } }: { of: Artifact }): ComponentChildren {
  const known = useLive((live) => (job === null ? undefined : live.jobs.get(job)))
  if (job !== null) {
    const name = known ? `${known.model.name} #${known.ordinal}` : shortId(job)
    return <>job {linkTo({ page: 'job', id: job }, name)}</>
  }
  if (run !== null) return <>run {linkTo({ page: 'run', id: run }, run.split('/').at(-1))}</>
  return <span class="faint">–</span>
}
