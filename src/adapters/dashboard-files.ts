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
const FOLDERS = ['./dashboard/', '../../dist/dashboard/']

/** Whether a path is the page's, or one of its files'. */
export function isOfDashboard(path: string): boolean {
  return path === PAGE.slice(0, -1) || nameAt(path) !== undefined
}

/** Answers a request for what `isOfDashboard`. */
export function serveDashboard(
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
): void {
  const name = nameAt(url.split('?', 1)[0]!)
  if (name === undefined) {
    response.writeHead(307, { location: PAGE }).end()
  } else if (method === 'GET' || method === 'HEAD') {
    void sendFile(name, method, response)
  } else {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
  }
}

/** Which of the files a path names. */
function nameAt(path: string): string | undefined {
  if (!path.startsWith(PAGE)) return undefined
  const name = path.slice(PAGE.length) || 'index.html'
  return Object.hasOwn(TYPES, name) ? name : undefined
}

async function sendFile(name: string, method: string, response: ServerResponse): Promise<void> {
  const content = await readOne(name)
  if (!content) {
    response.writeHead(404, { ...HEADERS, 'content-type': 'text/plain' })
    response.end('The dashboard is not built. Run `npm run build` first.\n')
    return
  }
  const [type, length] = [TYPES[name], content.byteLength]
  response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': length })
  response.end(method === 'HEAD' ? undefined : content)
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
