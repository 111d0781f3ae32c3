import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ArtifactDetails, ListedArtifact } from '../../emulator/control/schemas/artifacts.js'
import { call } from '../data/control.js'
import { partsOf } from '../data/platform-path.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import type { RecordPage } from '../kit/detail.js'
import { StoredFiles } from '../kit/stored-files.js'
import { LiveTable, type Column } from '../kit/table.js'
import { column } from '../kit/value.js'
import { linkTo } from '../parts/link.js'
import { MayBeMore } from '../parts/may-be-more.js'
import { Badge } from '../parts/state.js'
import { Name } from '../parts/facts.js'
import { jobTitle, shortId } from '../parts/names.js'
import { hrefOf } from '../routes.js'

/** The most versions that are loaded, the newest ones. */
export const MOST_VERSIONS = 1000

/** One version of an artifact: its files, and the other versions. */
export const ARTIFACT: RecordPage<ArtifactDetails> = {
  thing: 'artifact',
  list: 'artifacts',
  load: (id) =>
    call('GET /artifacts/{entity}/{project}/{artifact}', { params: partsOf(id, 'artifact') }),
  after: ['request', 'note', 'job'],
  title: ({ name, version, type }) => (
    <>
      <Name of={`${name}:${version}`} /> <Badge tone="idle">{type}</Badge>
    </>
  ),
  without: ['path', 'entity', 'project', 'name', 'version', 'type'],
  Above: Versions,
  drawn: { files: ({ of }) => <StoredFiles of={of} load={loadFile} /> },
}

function loadFile(version: string, path: string): Promise<unknown> {
  const sent = { params: partsOf(version, 'artifact'), query: { path } }
  return call('GET /artifacts/{entity}/{project}/{artifact}/file', sent)
}

/** The job that made a checkpoint, or the run that logged an artifact. */
export function Origin({ of: { job, run } }: { of: ListedArtifact }): ComponentChildren {
  const known = useLive((live) => (job === null ? undefined : live.jobs.get(job)))
  if (job !== null) {
    const name = known ? jobTitle(known) : shortId(job)
    return <>job {linkTo({ page: 'job', id: job }, name)}</>
  }
  if (run !== null) return <>run {linkTo({ page: 'run', id: run }, run.split('/').at(-1))}</>
  return <span class="faint">–</span>
}

/** All versions of the same artifact. */
function Versions({ of: { path: shown, ...of } }: { of: ArtifactDetails }): ComponentChildren {
  const { entity, project, name } = of
  const { value, error } = useLoaded(
    async () => {
      const query = { entity, project, name, limit: MOST_VERSIONS }
      return (await call('GET /artifacts', { query })).artifacts
    },
    `${entity}/${project}/${name}`,
    JSON.stringify(of),
  )
  const columns = useMemo((): readonly Column<ListedArtifact>[] => {
    const version = ({ path, version: number }: ListedArtifact): ComponentChildren => (
      <a
        href={hrefOf({ page: 'artifact', id: path })}
        aria-current={path === shown ? 'page' : undefined}
      >
        {number}
      </a>
    )
    const from = (artifact: ListedArtifact): ComponentChildren => <Origin of={artifact} />
    return [
      ['Version', 'w-id', version],
      column('aliases', { look: 'w-grow' }),
      ['From', 'w-base', from, { wide: true }],
      column('size', { wide: true }),
      column('created_at', { wide: true }),
    ]
  }, [shown])
  return (
    <>
      <LiveTable
        label="Versions"
        columns={columns}
        rows={value}
        keyOf={({ path }) => path}
        error={error}
        empty={<p>It has no versions.</p>}
        heading={value?.length ?? true}
      />
      <MayBeMore of={value} most={MOST_VERSIONS} />
    </>
  )
}
