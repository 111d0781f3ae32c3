import type { ComponentChildren } from 'preact'
import type { ListedArtifact as Artifact } from '../../emulator/control/schemas/artifacts.js'
import { call } from '../data/control.js'
import { useRecords, type Listing } from '../kit/records.js'
import { column } from '../kit/value.js'
import { SdkAddress } from '../parts/sdk-address.js'
import { projectOf } from '../parts/names.js'
import { hrefOf } from '../routes.js'
import { MOST_VERSIONS, Origin } from './artifact-page.js'

/** The versions of artifacts: what programs logged, and the checkpoints. */
export const ARTIFACTS: Listing<Artifact> = {
  title: 'Artifacts',
  thing: 'artifact',
  useRows: () =>
    useRecords(
      async () => (await call('GET /artifacts', { query: { limit: MOST_VERSIONS } })).artifacts,
      ['request', 'note', 'job'],
    ),
  keyOf: ({ path }) => path,
  columns: [
    ['Artifact', 'w-grow', versionName, { sort: ({ name }) => name }],
    column('type'),
    column('aliases', { look: 'w-event' }),
    column('size', { wide: true }),
    ['From', 'w-event', (artifact) => <Origin of={artifact} />, { wide: true }],
    ['Project', 'w-operation', projectOf, { sort: true, wide: true }],
    column('created_at', { wide: true }),
  ],
  facets: [{ name: 'type', label: 'Type', answerOf: ({ type }) => type }],
  most: MOST_VERSIONS,
  find: 'Name, alias, tag or project',
  Empty: () => (
    <>
      <p>
        No artifacts yet. One appears here with the first checkpoint of a model, or when a program
        logs it with the SDK at this address:
      </p>
      <SdkAddress code={putCode} />
    </>
  ),
}

function versionName({ path, name, version }: Artifact): ComponentChildren {
  return (
    <a href={hrefOf({ page: 'artifact', id: path })}>
      {name}:{version}
    </a>
  )
}

function putCode(origin: string): string {
  return `curl -s ${origin}/_emulator/artifacts -d '{
  "name": "rows",
  "files": { "train.jsonl": "{\\"messages\\": []}" }
}'
`
}
