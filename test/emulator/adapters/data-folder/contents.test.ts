import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diskError, stubDisk } from '../../../support/failing-disk.js'
import { folderInMemory } from '../../../support/temporary-folder.js'
import { describeTransports, type Open } from '../../../support/transports.js'
import { addressOf, openArtifact, put } from '../../../support/platform-client.js'
import { leftBy } from './world-on-disk.js'
import { openEmulator } from '../../open-emulator.js'

const hexOf = (text: string) => createHash('md5').update(text).digest('hex')
const fileOf = (data: string, text: string) => join(data, 'contents', hexOf(text))
const filesIn = (data: string) => readdirSync(join(data, 'contents'))

async function openWorld(open: Open, data = folderInMemory()) {
  return { data, api: await open({ data }) }
}

function openApi(data: string) {
  const emulator = openEmulator({ data })
  return { emulator, fetch: emulator.fetch }
}

/** Logs an artifact with one file. */
async function log(api: Parameters<typeof openArtifact>[0], text: string, name?: string) {
  const { url, commit } = await openArtifact(api, text, name)
  await put(api, url, text)
  return commit()
}

describeTransports('with a data folder, a content', (open) => {
  it('is a file with its MD5 as its name', async () => {
    const { data, api } = await openWorld(open)
    const { url, commit } = await openArtifact(api, 'hello')
    expect(existsSync(join(data, 'contents'))).toBe(false)
    await put(api, url, 'hello')
    expect(filesIn(data)).toEqual([hexOf('hello')])
    expect(readFileSync(fileOf(data, 'hello'), 'utf8')).toBe('hello')
    await commit()
    expect(await (await api.fetch(await addressOf(api))).text()).toBe('hello')
  })

  it('leaves nothing if it is refused', async () => {
    const { data, api } = await openWorld(open)
    const { url } = await openArtifact(api, 'right')
    expect((await put(api, url, 'wrong')).status).toBe(400)
    expect(filesIn(data)).toEqual([])
  })

  it('that is missing or damaged is an error for its readers only', async () => {
    const { data, api } = await openWorld(open)
    for (const name of ['missing', 'short', 'damaged', 'whole'])
      await log(api, `a ${name} one`, name)
    const addresses = await Promise.all(
      ['missing', 'short', 'damaged', 'whole'].map((name) => addressOf(api, name)),
    )
    rmSync(fileOf(data, 'a missing one'))
    writeFileSync(fileOf(data, 'a short one'), 'a')
    writeFileSync(fileOf(data, 'a damaged one'), 'A damaged one')
    const [missing, short, damaged, whole] = addresses
    const why = async (address: string) => {
      const response = await api.fetch(address)
      const { errors } = (await response.json()) as { errors: { message: string }[] }
      expect(api.emulator.journal.entries.at(-1)).toMatchObject({ detail: errors[0]!.message })
      return [response.status, errors[0]!.message]
    }
    const toDo = 'Restore a copy of the data folder, or log the file in a new version.'
    expect(await why(missing!)).toEqual([
      410,
      `Failed to read the content: ENOENT: no such file or directory, stat '${fileOf(data, 'a missing one')}'. ${toDo}`,
    ])
    expect(await why(short!)).toEqual([
      410,
      `The content is damaged: ${fileOf(data, 'a short one')} is not what was written. ${toDo}`,
    ])
    await expect(api.fetch(damaged!).then((response) => response.text())).rejects.toThrow(TypeError)
    expect(api.emulator.trace()).toContain('Failed to send all of the answer to GET /storage/main')
    expect(api.emulator.trace()).toContain(
      `${fileOf(data, 'a damaged one')} is not what was written`,
    )
    expect(await (await api.fetch(whole!)).text()).toBe('a whole one')
  })

  it('that is lost is sent again by the next version', async () => {
    const { data, api } = await openWorld(open)
    await log(api, 'hello', 'one')
    rmSync(fileOf(data, 'hello'))
    await log(api, 'hello', 'two')
    expect(await (await api.fetch(await addressOf(api, 'one'))).text()).toBe('hello')
    const { artifacts } = api.emulator.engine.clientPlatform
    const [one] = artifacts.all
    artifacts.delete(one!, { withAliases: true }, { user: 'ada' })
    expect(await (await api.fetch(await addressOf(api, 'two'))).text()).toBe('hello')
  })

  it.each(['writeFileSync', 'renameSync'] as const)(
    'is refused if the disk is full (%s), and can be sent again',
    async (call) => {
      const { data, api } = await openWorld(open)
      const { url, commit } = await openArtifact(api, 'hello')
      const free = stubDisk(call, (real, ...args) => {
        const isContent =
          call === 'renameSync' ? String(args[0]).endsWith('.part') : args[1] instanceof Uint8Array
        if (isContent) throw diskError('ENOSPC', 'no space left on device')
        return real(...args)
      })
      const message = expect.stringMatching(
        /^Failed to use .*\.part: ENOSPC: no space left on device\. Free some space\./,
      )
      expect(await put(api, url, 'hello')).toEqual({ status: 413, message })
      expect(api.emulator.journal.entries.at(-1)).toMatchObject({ status: 413, detail: message })
      expect(filesIn(data)).toEqual([])
      free()
      expect((await put(api, url, 'hello')).status).toBe(200)
      expect((await commit()).data.commitArtifact.artifact.state).toBe('COMMITTED')
    },
  )
})

async function onPort(data: string) {
  const emulator = openEmulator({ data })
  await emulator.listen()
  return { emulator, fetch }
}

describe('the contents of a data folder', () => {
  it('are read and written a part at a time', async () => {
    const data = folderInMemory()
    const api = await onPort(data)
    const content = new Uint8Array(randomBytes(8 * 1024 ** 2))
    const sizes: number[] = []
    stubDisk('writeFileSync', (real, file, part, ...rest) => {
      if (part instanceof Uint8Array) sizes.push(part.length)
      return real(file, part, ...rest)
    })
    const { url, commit } = await openArtifact(api, content)
    await put(api, url, content)
    await commit()
    expect(sizes.length).toBeGreaterThan(100)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 ** 2)

    const address = new URL(await addressOf(api))
    const outcome = await api.emulator.handle('training', {
      method: 'GET',
      base: address.origin,
      path: address.pathname,
      query: address.search.slice(1),
      headers: {},
      body: new Uint8Array(),
    })
    if (outcome.kind !== 'stream') throw new Error('The download is not a stream.')
    const read: Uint8Array[] = []
    for await (const chunk of outcome.chunks) read.push(chunk as Uint8Array)
    expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(1024 ** 2)
    expect(Buffer.concat(read).equals(content)).toBe(true)
    const response = await fetch(address)
    expect(response.headers.get('content-length')).toBe(String(content.length))
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
  })

  it('lose at the next start what no record names', async () => {
    const data = folderInMemory()
    const api = await onPort(data)
    await log(api, 'hello')
    const copy = leftBy(data)
    writeFileSync(fileOf(copy, 'never recorded'), 'never recorded')
    writeFileSync(join(copy, 'contents', '7.part'), 'half')
    writeFileSync(join(copy, 'contents', 'README'), 'not ours')
    const next = openEmulator({ data: copy })
    await next.ready()
    await next.fetch(`${next.trainingUrl}/health`)
    expect(filesIn(copy)).not.toContain(hexOf('never recorded'))
    expect(filesIn(copy)).not.toContain('7.part')
    expect(filesIn(copy)).toContain('README')
  })

  it('have addresses that a restart keeps, also if a start before it left the secret empty', async () => {
    const data = folderInMemory()
    writeFileSync(join(data, 'addresses.secret'), '')
    const first = openApi(data)
    await log(first, 'hello')
    const address = await addressOf(first)
    await first.emulator.close()
    const next = openApi(data)
    expect(await (await next.fetch(address)).text()).toBe('hello')
  })

  it('stay until the deletion of their artifact is saved', async () => {
    const data = folderInMemory()
    const api = await onPort(data)
    await log(api, 'hello')
    const author = { user: 'ada' }
    const { artifacts } = api.emulator.engine.platformWithCheckpoints()
    const [artifact] = artifacts.all
    artifacts.delete(artifact!, { withAliases: true }, author)
    expect(filesIn(data)).toContain(hexOf('hello'))
    // Each answer saves the world before it leaves.
    api.emulator.clock.advance('1s')
    await fetch(`${api.emulator.trainingUrl}/health`)
    expect(filesIn(data)).not.toContain(hexOf('hello'))
  })

  it('are gone after a reset', async () => {
    const data = folderInMemory()
    const api = await onPort(data)
    await log(api, 'hello')
    api.emulator.reset()
    await api.emulator.ready()
    await fetch(`${api.emulator.trainingUrl}/health`)
    expect(filesIn(data)).toEqual([])
    await log(api, 'again')
    expect(filesIn(data)).toContain(hexOf('again'))
  })
})

it('a content that is lost is not found by code and by the control API, which say where it was', async () => {
  const data = folderInMemory()
  const emulator = openEmulator({ data })
  await emulator.artifacts.put({ name: 'rows', files: { 'train.jsonl': 'hello' } })
  rmSync(fileOf(data, 'hello'))
  const why = /^Not found: Failed to read the content: ENOENT.*Restore a copy of the data folder/
  await expect(emulator.artifacts.download('rows', 'train.jsonl')).rejects.toThrow(why)
  const { origin } = new URL(emulator.trainingUrl)
  const path = '/_emulator/artifacts/local-team/demo/rows/file?path=train.jsonl'
  const answer = await emulator.fetch(origin + path)
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { detail: expect.stringMatching(why) as string },
  ])
})
