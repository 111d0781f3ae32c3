import { ARTIFACT_FILES_PATH, TELEMETRY_PATH } from '../../../base/text/vendor/platform-names.js'

/** Where contents are, below the address of the API. The name of the world follows. */
export const STORAGE_PATH = '/storage'

/** The paths of runs and artifacts, or what they begin with. Unlike all others, they do not begin with `/v1`. */
export const PLATFORM_PATHS = [
  '/graphql',
  '/files',
  STORAGE_PATH,
  ARTIFACT_FILES_PATH,
  TELEMETRY_PATH,
] as const
