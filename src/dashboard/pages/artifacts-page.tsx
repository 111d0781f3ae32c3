import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ListedArtifact as Artifact } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { Origin } from '../parts/artifact-origin.js'
import { CountedChoices } from '../parts/choice.js'
import { CREATED, LiveTable, type Column } from '../parts/live-table.js'
import { Page } from '../parts/page.js'
import { SdkAddress } from '../parts/sdk-address.js'
import { useTextFilter } from '../parts/text-filter.js'
import { bytesText, projectOf } from '../parts/wording.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { hrefOf, useQuery } from '../routes.js'

/** The most versions that are loaded, the newest ones. */
const MOST_VERSIONS = 1000

const COLUMNS: readonly Column<Artifact>[] = [
  ['Artifact', 'w-grow', nameOf, { sort: ({ name }) => name }],
  ['Type', 'w-name', ({ type }) => type, { sort: true }],
  ['Aliases', 'w-event clipped', ({ aliases }) => aliases.join(', '), { sort: aliasesOf }],
  ['Size', 'w-number', ({ size }) => bytesText(size), { sort: ({ size }) => size, wide: true }],
  ['From', 'w-event', (artifact) => <Origin of={artifact} />, { wide: true }],
  ['Project', 'w-operation', projectOf, { sort: true, wide: true }],
  CREATED,
]

function nameOf({ path, name, version }: Artifact): ComponentChildren {
  return (
    <a href={hrefOf({ page: 'artifact', id: path })}>
      {name}:{version}
    </a>
  )
}

function aliasesOf({ aliases }: Artifact): string | null {
  return aliases.join(', ') || null
}

/** The versions of artifacts: what programs logged, and the checkpoints. */
export function ArtifactsPage(): ComponentChildren {
  const loaded = useLoaded(async () => {
    return (await call('GET /artifacts', { query: { limit: MOST_VERSIONS } })).artifacts
  })
  useReloadOn(['request', 'note', 'job'], loaded.reload)
  const artifacts = loaded.value ?? NO_ARTIFACTS
  const types = ['all', ...new Set(artifacts.map(({ type }) => type))]
  const [type, setType] = useQuery('type', 'all')
  const { text, found, field } = useTextFilter(artifacts, {
    example: 'Name, alias, tag or project',
    textsOf: ({ path, aliases, tags }) => [path, ...aliases, ...tags],
  })
  const rows = useMemo(
    () => found.filter((each) => type === 'all' || each.type === type),
    [loaded.value, type, text],
  )
  return (
    <Page title="Artifacts" error={loaded.error}>
      <LiveTable
        label="Artifacts"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ path }) => path}
        view={`${type} ${text}`}
        empty={<NoArtifacts of={loaded.value} />}
      >
        <CountedChoices
          label="Type"
          of={types}
          chosen={type}
          choose={setType}
          count={(each) => countOf(found, each)}
        />
        {field}
      </LiveTable>
    </Page>
  )
}

const NO_ARTIFACTS: readonly Artifact[] = []

function countOf(artifacts: readonly Artifact[], type: string): number {
  return artifacts.filter((each) => type === 'all' || each.type === type).length
}

function NoArtifacts({ of }: { of: readonly Artifact[] | undefined }): ComponentChildren {
  const elsewhere = useElsewhere()
  if (!of) return <p>Loading the artifacts…</p>
  if (of.length > 0) return <p>No artifact matches. Clear the filter.</p>
  if (elsewhere !== undefined) return <p>No artifacts in this world. {elsewhere}</p>
  return (
    <>
      <p>
        No artifacts yet. One appears here with the first checkpoint of a model, or when a program
        logs it with the SDK at this address:
      </p>
      <SdkAddress code={putCode} />
    </>
  )
}

function putCode(origin: string): string {
  return `curl -s ${origin}/_emulator/artifacts -d '{
  "name": "rows",
  "files": { "train.jsonl": "{\\"messages\\": []}" }
}'
`
}
