import { PLATFORM_PATHS } from '../../service/api/platform/paths.js'
import { CONTROL_ROOT } from '../control/control-path.js'
import type { Middleware } from './port-app.js'

/** What the paths begin with below which clients are answered, by the emulator or by the service. */
const OF_CLIENTS = [CONTROL_ROOT, '/v1', '/artifacts', ...PLATFORM_PATHS].map((path) => {
  return path.split('/')[1]
})

const PRINTED =
  /^\/([^/.]+)\/([^/]+)(?:\/(?:workspace|runs(?:\/([^/]+))?|(artifacts)(?:\/[^/]+\/([^/]+)(?:\/([^/]+))?)?))?\/?$/

/**
 * Leads a browser from the addresses that a client prints, such as `/team/project/runs/poem`, to the page of the
 * dashboard. All other requests go on.
 */
export const printedPages: Middleware = ({ method, url = '', headers }, response, next) => {
  if (method !== 'GET' || headers.accept?.includes('text/html') !== true) return next()
  const page = pageOf(url.split('?', 1)[0]!)
  if (page === undefined) return next()
  response.writeHead(302, { location: `${CONTROL_ROOT}/#/${page}` }).end()
}

/** The page of the dashboard that an address means. */
function pageOf(path: string): string | undefined {
  const [, entity = '', project = '', run, artifacts, artifact, version] = PRINTED.exec(path) ?? []
  if (entity === '' || OF_CLIENTS.includes(entity)) return undefined
  // Each part is encoded already, and the slashes and the colon between them are not.
  const id = (name: string): string => [entity, project, name].join('%2F')
  if (run !== undefined) return `runs/${id(run)}`
  if (artifact !== undefined) return `artifacts/${id(`${artifact}%3A${version ?? 'latest'}`)}`
  return artifacts ?? 'runs'
}
