import { ARTIFACT_FILES_PATH, TELEMETRY_PATH } from '../../../base/text/vendor/platform-names.js'

/** Where contents are, below the address of the API. The name of the world follows. */
export const STORAGE_PATH = '/storage'

/** Where queries go. */
export const GRAPHQL_PATH = '/graphql'

/** Where the streams of runs go. */
export const FILES_PATH = '/files'

/** The paths of runs and artifacts, or what they begin with. Unlike all others, they do not begin with `/v1`. */
export const PLATFORM_PATHS = [
  GRAPHQL_PATH,
  FILES_PATH,
  STORAGE_PATH,
  ARTIFACT_FILES_PATH,
  TELEMETRY_PATH,
] as const
