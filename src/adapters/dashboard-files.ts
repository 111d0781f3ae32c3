import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'

/** Where the page is; `/_emulator` leads there. */
const PAGE = '/_emulator/'

/** Every file there is: no path of a request ever reaches the disk. */
const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'assets/main.js': 'text/javascript; charset=utf-8',
  'assets/dashboard.css': 'text/css; charset=utf-8',
  'assets/icon.svg': 'image/svg+xml',
}

const HEADERS = {
  // The page shows what strangers sent, so nothing inline may run and nothing foreign be loaded.
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Another version of the emulator may serve the same port next.
  'cache-control': 'no-cache',
}

/** Built, the files lie beside this one; in the source, where the build leaves them. */
const FOLDERS = ['./dashboard/', '../../dist/dashboard/']

/** Answers if the request is for the dashboard's page or its files, and says whether it was. */
export function serveDashboard(
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const [path = ''] = url.split('?')
  if (method !== 'GET' && method !== 'HEAD') return false
  if (path === PAGE.slice(0, -1)) {
    response.writeHead(307, { location: PAGE }).end()
    return true
  }
  if (!path.startsWith(PAGE)) return false
  const name = path.slice(PAGE.length) || 'index.html'
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
  if (type === undefined) return false
  void readOne(name).then((content) => {
    if (!content) {
      response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' })
      response.end('The dashboard is not built. Run `npm run build` first.\n')
      return
    }
    const length = content.byteLength
    response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': length })
    response.end(method === 'HEAD' ? undefined : content)
  })
  return true
}

async function readOne(name: string): Promise<Buffer | undefined> {
  for (const folder of FOLDERS) {
    const content = await readFile(
      fileURLToPath(new URL(`${folder}${name}`, import.meta.url)),
    ).catch(() => undefined)
    if (content) return content
  }
  return undefined
}
