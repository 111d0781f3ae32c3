import { CONTROL_ROOT } from '../control/control-path.js'
import type { Middleware } from './port-app.js'
import { packageFolder } from './package-folder.js'

/** The address of the page. The root itself redirects to it. */
const PAGE = `${CONTROL_ROOT}/`

/** The files below `PAGE`. */
const FILES = ['', 'index.html', 'assets/main.js', 'assets/dashboard.css', 'assets/icon.svg']

const HEADERS = {
  // The page shows data that others sent: inline code must not run, nothing may be loaded from elsewhere,
  // and text must never become markup.
  'content-security-policy': [
    "default-src 'none'",
    ...['script-src', 'style-src', 'img-src', 'connect-src'].map((what) => `${what} 'self'`),
    ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // The next emulator on this port may have another version.
  'cache-control': 'no-cache',
}

/** In a build, the files are next to this one. From source, they are in dist/. */
const FOLDERS = ['./dashboard/', '../../../dist/dashboard/']

const PATHS = new Set([CONTROL_ROOT, ...FILES.map((name) => PAGE + name)])

/** Whether a path belongs to the dashboard. */
export function isDashboardPath(path: string): boolean {
  return PATHS.has(path)
}

/** Serves the dashboard below the root of the control API. Other requests go to the next layer. */
export async function dashboardFiles(): Promise<Middleware> {
  const { default: express } = await import('express')
  const folder = packageFolder(import.meta.url, FOLDERS, '')
  if (folder === undefined) return notBuilt
  const files = express.static(folder, {
    cacheControl: false,
    setHeaders: (response) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    },
  })
  // Its type requires the request and response of Express, and Express passes these.
  return files as unknown as Middleware
}

const notBuilt: Middleware = ({ url = '', method }, response, next) => {
  const isFile = FILES.includes(url.split('?', 1)[0]!.slice(1))
  if (!isFile || (method !== 'GET' && method !== 'HEAD')) return next()
  response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' })
  response.end('The dashboard is not built. Run `npm run build` first.\n')
}
