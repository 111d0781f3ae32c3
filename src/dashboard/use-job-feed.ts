import { useEffect, useState } from 'preact/hooks'
import { JobFeed } from './job-feed.js'
import { useLive } from './use-live.js'

/** Events and curves of a job, followed while the component is there. */
export function useJobFeed(id: string): JobFeed | undefined {
  const job = useLive((live) => live.jobs.get(id))
  const epoch = useLive((live) => live.epoch)
  const [{ feed }, setFeed] = useState<{ feed?: JobFeed }>({})
  useEffect(() => {
    const opened: JobFeed = new JobFeed(id, () => setFeed({ feed: opened }))
    setFeed({ feed: opened })
    return () => opened.close()
  }, [id, epoch])
  useEffect(() => {
    if (feed && job) feed.follow(job)
  }, [feed, job])
  return feed
}
