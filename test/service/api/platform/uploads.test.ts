import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../../../src/index.js'
import { openEmulator } from '../../../emulator/open-emulator.js'
import { basic, besideTraining, type Caller } from '../../../support/graphql.js'
import { md5Of } from '../../../support/platform-records.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { describeTransports } from '../../../support/transports.js'
import { until } from '../../../support/until.js'
import {
  addressOf,
  openArtifact,
  put,
  type OpenArtifact,
} from '../../../support/platform-client.js'

/** An artifact that is committed with its file. */
async function committed(api: Caller, content: string): Promise<OpenArtifact> {
  const artifact = await openArtifact(api, content)
  await put(api, artifact.url, content)
  await artifact.commit()
  return artifact
}

const lastEntry = ({ journal }: Emulator) => journal.entries.at(-1)

describeTransports('an upload', (open) => {
  it('leaves its content out of the journal', async () => {
    const api = await open()
    const artifact = await openArtifact(api, 'hello')
    expect(await put(api, artifact.url, 'hello')).toEqual({ status: 200, message: undefined })
    expect(lastEntry(api.emulator)).toMatchObject({
      operation: 'uploadFile',
      bodyLength: 5,
      bodyForgotten: true,
      bodyText: undefined,
      effects: ['stored a.bin, 5 bytes'],
    })
    expect((await artifact.commit()).data.commitArtifact.artifact.state).toBe('COMMITTED')
    expect(await (await api.fetch(await addressOf(api))).text()).toBe('hello')
    expect(lastEntry(api.emulator)).toMatchObject({ response: { length: 5, text: '' } })
  })

  it('is refused with the reason if it is another content, and can be sent again', async () => {
    const api = await open()
    const { url, commit } = await openArtifact(api, 'right')
    const message = `The content has 5 bytes with the MD5 ${md5Of('wrong')}; expected the MD5 ${md5Of('right')}. Send the whole file again.`
    expect(await put(api, url, 'wrong')).toEqual({ status: 400, message })
    expect(lastEntry(api.emulator)).toMatchObject({ status: 400, detail: message })
    expect((await commit()).errors?.[0]?.message).toContain(
      'lacks the content of 1 of its 1 files: "a.bin"',
    )
    await put(api, url, 'right')
    expect((await commit()).data.commitArtifact.artifact).toEqual({
      state: 'COMMITTED',
      versionIndex: 0,
    })
  })

  it('is refused after the commit, and without a file', async () => {
    const api = await open()
    const { url } = await committed(api, 'hello')
    const over = await put(api, url, 'again')
    expect(over).toEqual({ status: 404, message: expect.stringContaining('No upload has the id') })
    const nothing = await put(api, url.replace(/[^/]+$/, 'nothing'), 'again')
    expect(nothing).toEqual({ status: 404, message: expect.stringContaining('no content at this') })
  })

  it.each([
    ['drop', { fault: 'drop', stage: 'mid_body' }],
    ['trickle', { fault: 'trickle', bytes: 2, every: '1ms' }],
  ] as const)('is read back through the fault %s', async (kind, fault) => {
    const match = { operation: 'downloadArtifactFile', method: 'GET' } as const
    const faults = [{ ...fault, match, calls: 1 }]
    const api = await open({ clock: 'auto', scenario: { name: 'shaky', faults } })
    await committed(api, 'hello')
    const address = await addressOf(api)
    const read = async () => (await api.fetch(address)).text()
    if (kind === 'drop') await expect(read()).rejects.toThrow(TypeError)
    expect(await read()).toBe('hello')
  })

  it('is read by its MD5 and the name of its collection, too', async () => {
    const api = await open()
    const { id } = await committed(api, 'hello')
    const digest = Buffer.from(md5Of('hello'), 'base64').toString('hex')
    const read = (artifact: string, md5 = digest, collection = 'rows') => {
      const path = `/artifactsV2/default/local-team/verse/${collection}/${artifact}/${md5}/a.bin`
      const headers = { authorization: basic('any-key') }
      return api.fetch(besideTraining(api, path), { headers })
    }
    expect(await (await read(id)).text()).toBe('hello')
    // The artifact that had the content first may be gone.
    expect(await (await read('gone')).text()).toBe('hello')
    for (const missing of [read(id, '0'.repeat(32)), read(id, digest, 'columns')]) {
      expect((await missing).status).toBe(404)
    }
  })

  it('breaks off when the program gives up, and says so in the journal', async () => {
    const api = await open()
    const { url, commit } = await openArtifact(api, 'hello')
    // `fetch` reads one chunk ahead, and drops it when the stream fails. It may not even have connected then. It asks
    // for a third chunk only after it has sent the first one.
    const chunks = ['he', 'l'].map((text) => new TextEncoder().encode(text))
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = chunks.shift()
        if (!chunk) throw new Error('the disk of the program is gone')
        controller.enqueue(chunk)
      },
    })
    await expect(
      api.fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit),
    ).rejects.toThrow(TypeError)
    await until('the journal has the upload', () => uploads(api.emulator) === 1)
    expect(lastEntry(api.emulator)).toMatchObject({
      status: 400,
      detail: expect.stringMatching(
        /^The upload broke off after [023] bytes, because the client left/,
      ),
    })
    expect((await commit()).errors?.[0]?.message).toContain('lacks the content')
  })
})

function uploads({ requests }: Emulator): number {
  return requests.count({ operation: 'uploadFile' })
}

/** Sends the head of an upload, and a part of its body. */
async function begin(url: string, length: number, part = '') {
  const { port, pathname, search, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString())).on('error', () => {})
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${length}\r\n\r\n${part}`,
  )
  return { socket, answer: () => answer }
}

async function onPort(options: EmulatorOptions) {
  const emulator = openEmulator(options)
  await emulator.listen()
  return { emulator, fetch }
}

describe.each(['memory', 'a data folder'])('on a port, with contents in %s', (place) => {
  const options = () => (place === 'memory' ? {} : { data: temporaryFolder() })

  it('an upload breaks off when the client leaves', async () => {
    const api = await onPort(options())
    const { url, commit } = await openArtifact(api, 'hello')
    const { socket } = await begin(url, 5, 'hel')
    socket.end()
    await until('the journal has the upload', () => uploads(api.emulator) === 1)
    expect(lastEntry(api.emulator)).toMatchObject({
      status: 400,
      bodyLength: 3,
      detail:
        'The upload broke off after 3 of 5 bytes, because the client left. Send the whole file again.',
    })
    expect((await commit()).errors?.[0]?.message).toContain('lacks the content')
    await put(api, url, 'hello')
    expect((await commit()).data.commitArtifact.artifact.state).toBe('COMMITTED')
  })

  it('an upload with fewer bytes than announced is another content', async () => {
    const api = await onPort(options())
    const { url } = await openArtifact(api, 'hello')
    await begin(url, 3, 'hello')
    await until('the journal has the upload', () => uploads(api.emulator) === 1)
    expect(lastEntry(api.emulator)).toMatchObject({
      status: 400,
      detail: expect.stringContaining('The content has 3 bytes with the MD5'),
    })
  })

  it('an upload that is too large is refused before it arrives', async () => {
    const api = await onPort(options())
    const { url } = await openArtifact(api, 'hello')
    const most = place === 'memory' ? 512 * 1024 ** 2 : 2 * 1024 ** 3 - 1
    const { answer } = await begin(url, most + 1)
    await until('the upload is answered', () => answer().includes('\r\n\r\n'))
    expect(answer()).toMatch(/^HTTP\/1.1 413 /)
    expect(answer()).toContain(`${most} are allowed`)
    expect(lastEntry(api.emulator)).toMatchObject({
      status: 413,
      detail: expect.stringContaining(`${most} are allowed`),
    })
  })
})
