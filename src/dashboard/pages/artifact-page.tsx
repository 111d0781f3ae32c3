import type { ComponentChildren } from 'preact'
import { useCallback, useMemo } from 'preact/hooks'
import type { ArtifactDetails, ListedArtifact } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { Origin } from '../parts/artifact-origin.js'
import { CopyButton } from '../parts/copy-button.js'
import { JsonSection } from '../parts/json-section.js'
import { Links } from '../parts/links.js'
import { LiveTable, type Column } from '../parts/live-table.js'
import { Loaded, Page } from '../parts/page.js'
import { StoredFiles } from '../parts/stored-files.js'
import { Badge, bytesText, counted, Facts, figure, Moment, Name } from '../parts/wording.js'
import { hrefOf } from '../routes.js'

/** The most versions in the table. */
const MOST_VERSIONS = 1000

/** One version of an artifact: its files, and the other versions. */
export function ArtifactPage({ id }: { id: string }): ComponentChildren {
  const params = useMemo(() => paramsOf(id), [id])
  const load = useCallback((path: string) => loadFile(params, path), [params])
  const loaded = useLoaded(async () => {
    const artifact = await call('GET /artifacts/{entity}/{project}/{artifact}', { params })
    const { entity, project, name } = artifact
    const query = { entity, project, name, limit: MOST_VERSIONS }
    return { artifact, versions: (await call('GET /artifacts', { query })).artifacts }
  }, id)
  useReloadOn(['request', 'note', 'job'], loaded.reload)
  return (
    <>
      <Loaded of={loaded} what="artifact">
        {({ artifact, versions }) => (
          <Page title={<Title of={artifact} />} summary={<Summary of={artifact} />}>
            <Versions of={versions} shown={artifact.path} />
            <JsonSection title="Metadata" of={artifact.metadata} empty="It has no metadata." />
            <StoredFiles of={artifact.files} load={load} empty="It has no files." />
          </Page>
        )}
      </Loaded>
      {loaded.error && (
        <p>
          It may be deleted, or from before the last reset.{' '}
          <a href={hrefOf({ page: 'artifacts' })}>All artifacts</a>
        </p>
      )}
    </>
  )
}

type Params = Readonly<Record<'entity' | 'project' | 'artifact', string>>

function paramsOf(path: string): Params {
  const [entity = '', project = '', artifact = ''] = path.split('/')
  return { entity, project, artifact }
}

function loadFile(params: Params, path: string): Promise<Blob> {
  const file = call('GET /artifacts/{entity}/{project}/{artifact}/file', {
    params,
    query: { path },
  })
  return file as Promise<Blob>
}

function Title({ of: { name, version, type } }: { of: ArtifactDetails }): ComponentChildren {
  return (
    <>
      <Name of={`${name}:${version}`} /> <Badge tone="idle">{type}</Badge>
    </>
  )
}

function Summary({ of: artifact }: { of: ArtifactDetails }): ComponentChildren {
  const { url, aliases, tags, links } = artifact
  return (
    <>
      <Facts
        of={{
          Name: (
            <>
              <code>{url}</code> <CopyButton text={url} what="the name" />
            </>
          ),
          Aliases: aliases.join(', ') || <span class="faint">none</span>,
          Tags: tags.join(', ') || null,
          From: <Origin of={artifact} />,
          'Used by': <Links page="run" of={artifact.used_by} />,
          Links: links.length === 0 ? null : <Links page="artifact" of={links} />,
          Size: `${bytesText(artifact.size)} in ${counted(artifact.file_count, 'file')}`,
          User: artifact.user,
          Created: <Moment at={artifact.created_at} />,
          Digest: <code>{artifact.digest}</code>,
        }}
      />
      {artifact.description && <p>{artifact.description}</p>}
    </>
  )
}

interface VersionsProps {
  of: readonly ListedArtifact[]
  /** The path of the version that the page shows. */
  shown: string
}

function Versions({ of: versions, shown }: VersionsProps): ComponentChildren {
  const columns = useMemo(
    (): readonly Column<ListedArtifact>[] => [
      [
        'Version',
        'w-id',
        ({ path, version }) => (
          <a
            href={hrefOf({ page: 'artifact', id: path })}
            aria-current={path === shown ? 'page' : undefined}
          >
            {version}
          </a>
        ),
      ],
      ['Aliases', 'w-grow clipped', ({ aliases }) => aliases.join(', ')],
      ['From', 'w-base', (artifact) => <Origin of={artifact} />, { wide: true }],
      ['Size', 'w-number', ({ size }) => bytesText(size), { wide: true }],
      ['Created', 'w-time', ({ created_at: at }) => <Moment at={at} />, { wide: true }],
    ],
    [shown],
  )
  return (
    <LiveTable
      label="Versions"
      columns={columns}
      rows={versions}
      keyOf={({ path }) => path}
      empty={<p>It has no versions.</p>}
    >
      <h2>
        Versions <span class="count">{figure(versions.length)}</span>
      </h2>
    </LiveTable>
  )
}
