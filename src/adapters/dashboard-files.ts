import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Middleware } from './express.js'

/** Where the page is; `/_emulator` redirects there. */
const PAGE = '/_emulator/'

/** The files of the page, below `PAGE`. */
const FILES = ['', 'index.html', 'assets/main.js', 'assets/dashboard.css', 'assets/icon.svg']

const HEADERS = {
  // The page shows what strangers sent: nothing inline may run, nothing foreign be loaded, and no text
  // ever be made into markup.
  'content-security-policy': [
    "default-src 'none'",
    ...['script-src', 'style-src', 'img-src', 'connect-src'].map((what) => `${what} 'self'`),
    ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Another version of the emulator may serve the same port next.
  'cache-control': 'no-cache',
}

/** Built, the files lie beside this one; in the source, where the build leaves them. */
const FOLDERS = ['./dashboard', '../../dist/dashboard']

const PATHS = new Set([PAGE.slice(0, -1), ...FILES.map((name) => PAGE + name)])

/** Whether a path is the page's, or one of its files'. */
export function isOfDashboard(path: string): boolean {
  return PATHS.has(path)
}

/** Serves the page and its files below the control API's root, and passes everything else on. */
export async function dashboardFiles(): Promise<Middleware> {
  const { default: express } = await import('express')
  const folder = FOLDERS.map((each) => fileURLToPath(new URL(each, import.meta.url))).find((each) =>
    existsSync(each),
  )
  if (folder === undefined) return notBuilt
  const files = express.static(folder, {
    cacheControl: false,
    setHeaders: (response) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    },
  })
  // Its type asks for Express's own request and response, which is what it gets from Express.
  return files as unknown as Middleware
}

const notBuilt: Middleware = ({ url = '', method }, response, next) => {
  const isFile = FILES.includes(url.split('?', 1)[0]!.slice(1))
  if (!isFile || (method !== 'GET' && method !== 'HEAD')) return next()
  response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' })
  response.end('The dashboard is not built. Run `npm run build` first.\n')
}
