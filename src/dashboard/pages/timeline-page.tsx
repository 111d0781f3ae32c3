import type { ComponentChildren } from 'preact'
import { useLive } from '../data/use-live.js'
import { linkTo } from '../parts/link.js'
import { Page } from '../parts/page.js'
import { Share } from '../parts/share.js'
import { Timeline } from '../parts/timeline.js'
import { Name } from '../parts/facts.js'
import { shortId } from '../parts/names.js'
import { hrefOf, useQuery } from '../routes.js'

export function TimelinePage(): ComponentChildren {
  const [id] = useQuery('job')
  const job = useLive(({ jobs }) => jobs.get(id))
  return (
    <Page title="Timeline" aside={<Share />}>
      {id !== '' && (
        <p>
          Only{' '}
          <a class="inline" href={hrefOf({ page: 'job', id })}>
            {job ? (
              <>
                <Name of={job.model.name} /> #{job.ordinal}
              </>
            ) : (
              `job ${shortId(id)}`
            )}
          </a>
          , what is about it, and what that caused.{' '}
          {linkTo({ page: 'timeline' }, 'Show everything')}
        </p>
      )}
      <Timeline key={id} job={id} />
    </Page>
  )
}
