import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { call } from '../data/control.js'
import {
  answersOf,
  rewardsText,
  sourcesOf,
  trajectoriesOf,
  type LineageJob,
} from '../data/lineage.js'
import { useLineage } from '../data/use-lineage.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { parsed } from '../parts/json-text.js'
import { linkTo } from '../parts/link.js'
import { Findings } from '../parts/findings.js'
import { groupRows, GroupsTable, Sources } from '../parts/groups-table.js'
import { counted, figure } from '../parts/amounts.js'
import { Facts } from '../parts/facts.js'
import { hrefOf, useQuery } from '../routes.js'

/** What the client checks found in the request of a job. They write a note when they find something. */
export function JobFindings({ job: { request_id: id } }: { job: Job }): ComponentChildren {
  const { value = [], reload } = useLoaded(async () => {
    return (await call('GET /client-checks')).findings
  }, String(id))
  useReloadOn(['note'], reload)
  if (id === null) return null
  return <Findings of={value.filter(({ requests }) => requests.includes(id))} id={id} />
}

/** The artifact, or the file, that an SFT job reads. The request that created the job names it. */
export function JobTrainingFile({ job: { request_id: id } }: { job: Job }): ComponentChildren {
  const { value: url } = useLoaded(async () => {
    if (id === null) return undefined
    const params = { request_id: String(id) }
    const { request } = await call('GET /requests/{request_id}', { params })
    return trainingUrlIn(request.body)
  }, String(id))
  if (url === undefined) return null
  const [, path] = ARTIFACT_URL.exec(url) ?? []
  return (
    <p>
      Training data:{' '}
      {path === undefined ? <code>{url}</code> : linkTo({ page: 'artifact', id: path }, path)}
    </p>
  )
}

/** Such as `scheme:///team/project/rows:v0`. */
const ARTIFACT_URL = /^(?!file:|https?:)[a-z][a-z0-9+.-]*:\/\/\/?([^/]+\/[^/]+\/[^/]+)$/i

function trainingUrlIn(body: string | null): string | undefined {
  const { training_data_url: url } = Object(parsed(body)) as { training_data_url?: unknown }
  return typeof url === 'string' ? url : undefined
}

/** What a job was trained on: where its answers are from, and its groups. */
export function JobTrainingData({ job: { id } }: { job: Job }): ComponentChildren {
  const lineage = useLineage(id)
  const [group, setGroup] = useQuery('group')
  const [trajectory] = useQuery('trajectory')
  const jobs = lineage.value?.jobs ?? NONE
  const all = useMemo(() => groupRows(jobs), [jobs])
  const rows = useMemo(
    () => (group === '' ? all : all.filter(({ index }) => String(index) === group)),
    [all, group],
  )
  return (
    <GroupsTable
      rows={lineage.value && rows}
      view={group}
      trajectory={trajectory}
      error={lineage.error}
      empty={<p>{emptyText(jobs, group)}</p>}
    >
      <h2>Training data</h2>
      <a href={hrefOf({ page: 'lineage' }, { job: id })}>As a picture</a>
      {jobs.map((job) => (
        <Summary key={job.job} of={job} />
      ))}
      {group !== '' && (
        <button onClick={() => setGroup('')}>Show all {counted(all.length, 'group')}</button>
      )}
    </GroupsTable>
  )
}

const NONE: readonly LineageJob[] = []

function emptyText(jobs: readonly LineageJob[], group: string): string {
  if (jobs.length === 0) return 'The emulator does not remember trajectories of this job.'
  return group === '' ? 'The job has no groups.' : `The job has no group ${group}.`
}

function Summary({ of: job }: { of: LineageJob }): ComponentChildren {
  const trajectories = trajectoriesOf(job)
  return (
    <Facts
      look="line facts"
      of={{
        Trajectories: figure(trajectories.length),
        Rewards: rewardsText(trajectories),
        Answers: <Sources of={sourcesOf(answersOf(trajectories), job)} />,
      }}
    />
  )
}
