import { string } from '../../contract/pydantic/scalars.js'
import { parameters } from '../../contract/pydantic/parameters.js'
import { TELEMETRY_PATH } from '../../../base/text/vendor/platform-names.js'
import {
  downloadArtifactEntry,
  downloadArtifactFile,
  downloadFile,
  uploadFile,
} from './content-rows.js'
import { platformGraphql } from './graphql-row.js'
import { platformRow } from './platform-row.js'
import { streamRun } from './stream-run.js'

/** The SDK reports how it is used. Without an answer it tries again, and the log fills with 404. */
const dropTelemetry = platformRow({
  id: 'dropTelemetry',
  method: 'POST',
  path: `${TELEMETRY_PATH}/{signal}`,
  name: 'telemetry',
  summary: 'Telemetry of the SDK, which is dropped',
  auth: 'open',
  params: parameters('path', { signal: string }),
  readsBody: 'bytes',
  run: () => ({}),
})

export const platformOperations = [
  platformGraphql,
  dropTelemetry,
  streamRun,
  uploadFile,
  downloadFile,
  downloadArtifactFile,
  downloadArtifactEntry,
]
