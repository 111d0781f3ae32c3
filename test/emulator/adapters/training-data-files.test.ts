import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  openFromDisk,
  type FileAccess,
} from '../../../src/emulator/adapters/training-data-files.js'
import { Unavailable } from '../../../src/service/engine/jobs/training-data.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { served } from '../../support/served.js'

/** The lines at a URL, or the reason that there are none. */
async function read(url: string, access?: FileAccess): Promise<string[] | string> {
  const opened = await openFromDisk(access)(url)
  if (opened instanceof Unavailable) return opened.reason
  const lines: string[] = []
  for await (const line of opened) lines.push(line)
  return lines
}

describe('training data on the disk', () => {
  it('is found by relative path, absolute path and file URL', async () => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'sub'))
    const file = join(root, 'sub', 'größe 1.jsonl')
    writeFileSync(file, 'one\ntwo\n')
    const lines = ['one', 'two']
    expect(await read('sub/größe 1.jsonl', { dataRoot: root })).toEqual(lines)
    expect(await read('./sub/../sub/größe 1.jsonl', { dataRoot: root })).toEqual(lines)
    expect(await read(file)).toEqual(lines)
    expect(await read(pathToFileURL(file).href)).toEqual(lines)
    expect(await read(pathToFileURL(file).href.replace('file:///', 'FILE://localhost/'))).toEqual(
      lines,
    )
  })

  it('is found relative to the working directory if there is no root', async () => {
    expect(await read('package.json')).toContain('{')
  })

  it.each<[string, string]>([
    ['missing.jsonl', 'no such file: /…/missing.jsonl'],
    ['missing/sub.jsonl', 'no such file: /…/missing/sub.jsonl'],
    ['', 'training_data_url is empty'],
    ['.', 'not a file: /…'],
    ['sub', 'not a file: /…/sub'],
    ['/dev/zero', 'not a file: /dev/zero'],
    ['loop', 'no such file: /…/loop'],
    ['a\u0000b', 'no such file: /…/a\u0000b'],
    ['x'.repeat(5000), `no such file: /…/${'x'.repeat(5000)}`],
    ['file://elsewhere/a.jsonl', 'the file URL does not name a local path'],
    ['file:///a%2Fb.jsonl', 'the file URL does not name a local path'],
    ['file://%', 'the file URL does not name a local path'],
  ])('is reported as missing: %s', async (url, reason) => {
    const root = temporaryFolder()
    mkdirSync(join(root, 'sub'))
    symlinkSync(join(root, 'loop'), join(root, 'loop'))
    expect(await read(url, { dataRoot: root })).toBe(reason.replace('/…', root))
  })

  // Root may read everything.
  it('is reported if it cannot be read', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'secret.jsonl'), 'one\n')
    chmodSync(join(root, 'secret.jsonl'), 0)
    actAsNobody(root)
    expect(await read('secret.jsonl', { dataRoot: root })).toMatch(/^not readable \(EACCES\): /)
  })

  it('is split into the same lines with any line ends and chunks', async () => {
    const root = temporaryFolder()
    // Two bytes a letter from an odd place on: some letter straddles each chunk's end.
    const long = `x${'ß'.repeat(200_000)}`
    writeFileSync(join(root, 'data.jsonl'), `${long}\r\n\n  \n${long}`)
    const lines = (await read('data.jsonl', { dataRoot: root })) as string[]
    expect(lines.map((line) => line.trimEnd())).toEqual([long, '', '', long])
  })

  it('is read line by line, in bounded memory', { timeout: 60_000 }, async () => {
    const root = temporaryFolder()
    const file = openSync(join(root, 'large.jsonl'), 'w')
    const line = `{"messages":[{"role":"assistant","content":"${'x'.repeat(206)}"}]}\n`
    const block = line.repeat(4096)
    const blocks = Math.ceil((50 * 1024 * 1024) / block.length)
    for (let count = 0; count < blocks; count++) writeSync(file, block)
    closeSync(file)
    const opened = await openFromDisk({ dataRoot: root })('large.jsonl')
    expect(opened).not.toBeInstanceOf(Unavailable)
    let lines = 0
    let peak = 0
    const before = held()
    for await (const _line of opened as AsyncIterable<string>) {
      if (++lines % 50_000 === 0) peak = Math.max(peak, held() - before)
    }
    expect(lines).toBe(blocks * 4096)
    // The whole would be 50 MB of text and as much again in lines.
    expect(peak).toBeLessThan(8 * 1024 * 1024)
  })
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The used memory in bytes after a garbage collection, which would otherwise run at any time. */
function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** `root/data.jsonl` can be read. `secret.jsonl` next to the root cannot. */
function confined(): { root: string; above: string; access: FileAccess } {
  const above = temporaryFolder()
  const root = join(above, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'data.jsonl'), 'one\n')
  writeFileSync(join(above, 'secret.jsonl'), 'secret\n')
  mkdirSync(join(above, 'root-2'))
  writeFileSync(join(above, 'root-2', 'secret.jsonl'), 'secret\n')
  symlinkSync(join(above, 'secret.jsonl'), join(root, 'link.jsonl'))
  symlinkSync(above, join(root, 'up'))
  symlinkSync(join(root, 'data.jsonl'), join(root, 'inside.jsonl'))
  return { root, above, access: { dataRoot: root, confined: true } }
}

describe('beyond loopback,', () => {
  it('files are read inside the root', async () => {
    const { root, above, access } = confined()
    symlinkSync(root, join(above, 'alias'))
    for (const url of ['data.jsonl', 'inside.jsonl', join(root, 'data.jsonl')]) {
      expect(await read(url, access)).toEqual(['one'])
    }
    expect(await read(pathToFileURL(join(root, 'data.jsonl')).href, access)).toEqual(['one'])
    const aliased = { dataRoot: join(above, 'alias'), confined: true }
    expect(await read('data.jsonl', aliased)).toEqual(['one'])
    expect(await read('missing.jsonl', aliased)).toBe('no such file: missing.jsonl')
  })

  it.each([
    '../secret.jsonl',
    'sub/../../secret.jsonl',
    '../root-2/secret.jsonl',
    'link.jsonl',
    'up/secret.jsonl',
    'ABOVE/secret.jsonl',
    'file://ABOVE/secret.jsonl',
    'file://ABOVE/root/%2e%2e/secret.jsonl',
    'file://ABOVE/root/../secret.jsonl',
    'file:///%2e%2e/%2e%2e/etc/passwd',
    '/etc/passwd',
    '/etc/no-such-file',
    '..',
  ])('files outside the root are not read: %s', async (url) => {
    const { above, access } = confined()
    const reason = await read(url.replace('ABOVE', above), access)
    expect(reason).toBe('the file lies outside the --data-root')
  })

  it('the path of the root is not shown', async () => {
    const { above, access } = confined()
    const reasons = await Promise.all(['missing', '.', ''].map((url) => read(url, access)))
    for (const reason of reasons) expect(reason).not.toContain(above)
  })

  it('without a root no file is read', async () => {
    const { root } = confined()
    const reason = 'files are served beyond loopback only from a --data-root'
    expect(await read(join(root, 'data.jsonl'), { confined: true })).toBe(reason)
    expect(await read('package.json', { confined: true })).toBe(reason)
  })
})

async function serve(status: number, body: string): Promise<string> {
  const url = await served((_request, response) => response.writeHead(status).end(body))
  return `${url}/data.jsonl`
}

describe('training data on the web', () => {
  it('is fetched by URL', async () => {
    expect(await read(await serve(200, 'one\ntwo'))).toEqual(['one', 'two'])
  })

  it('is fetched with the login of its URL', async () => {
    const url = await served(({ headers }, response) => response.end(headers.authorization))
    const login = `Basic ${Buffer.from('ann:p@ss').toString('base64')}`
    expect(await read(url.replace('//', '//ann:p%40ss@'))).toEqual([login])
  })

  it('is reported if it cannot be fetched', async () => {
    const url = await serve(404, 'no')
    expect(await read(url)).toBe(`${url} answered with status 404`)
    expect(await read('http://127.0.0.1:1/x')).toMatch(
      /could not be fetched: .*(bad port|ECONNREFUSED)/,
    )
    expect(await read('http://')).toMatch(/^http:\/\/ could not be fetched: /)
  })
})

/** Root can read everything. If the tests run as root, this test continues as another user. */
function actAsNobody(folderToEnter: string): void {
  if (process.geteuid?.() !== 0) return
  chmodSync(folderToEnter, 0o755)
  process.seteuid!(65_534)
  onTestFinished(() => process.seteuid!(0))
}
