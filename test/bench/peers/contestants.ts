/** The peers. Each is set up as its documentation says, to answer a record. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answers } from '../answers.js'
import { bare, emulatorOf, type Contestant } from '../contestants.js'
import { binOf, installPeers, manifestOf, peersFolder, runsOn } from './install.js'
import { mockoonEnvironment } from './mockoon.js'
import { prismDocument } from './prism.js'

interface Peer {
  args: Contestant['args']
  /** The path of the record. */
  path: string
  /** Creates the record, and returns its path. */
  create?: (url: string) => Promise<string>
}

/** The bare server, the emulator, and the peers that this Node can run. Installs the peers if necessary. */
export function contestantsFor(answers: Answers): Contestant[] {
  installPeers()
  const record = JSON.parse(answers.told.get.body as string) as { id: string }
  const environment = write('mockoon.json', mockoonEnvironment(record))
  const records = write('json-server.json', { jobs: [record] })
  const document = write('prism.json', prismDocument(answers.document, record))
  const path = `/v1/jobs/${record.id}`
  const peers: Record<string, Peer> = {
    '@copilotkit/aimock': {
      args: (port) => [join(peersFolder, 'aimock.mjs'), String(port)],
      path: '/v1/models',
      create: createInAimock,
    },
    '@mockoon/cli': {
      args: (port) => {
        const flags = ['--repair', '--disable-log-to-file', '--disable-admin-api']
        return [binOf('mockoon-cli'), 'start', '-d', environment, '-p', String(port), ...flags]
      },
      path,
    },
    'json-server': {
      args: (port) => {
        const flags = ['--host=127.0.0.1', '--quiet', '--no-gzip', `--port=${port}`]
        return [binOf('json-server'), records, ...flags]
      },
      path: `/jobs/${record.id}`,
    },
    mockttp: {
      args: (port) => [join(peersFolder, 'mockttp.mjs'), String(port), answers.file, path],
      path,
    },
    '@stoplight/prism-cli': {
      args: (port) => [binOf('prism'), 'mock', document, '-p', String(port), '-v', 'silent'],
      path: `/v1/preview/training-jobs/${record.id}`,
    },
  }
  const contestants: Contestant[] = [bare(answers), emulatorOf(answers.scenario)]
  for (const [name, peer] of Object.entries(peers)) {
    const { version, engines } = manifestOf(name)
    const [needs] = /\d+(?:\.\d+)?/.exec(engines?.node ?? '0')!
    if (!runsOn(needs)) {
      console.error(`${name} needs Node ${needs}: it has no row`)
      continue
    }
    contestants.push({
      name: `${name} ${version}`,
      args: peer.args,
      first: peer.path,
      async open(url) {
        const created = (await peer.create?.(url)) ?? peer.path
        return { get: { method: 'GET', path: created, holds: '"id":' } }
      },
    })
  }
  return contestants

  function write(name: string, content: object): string {
    const file = join(answers.folder, name)
    writeFileSync(file, JSON.stringify(content))
    return file
  }
}

/** Its records are fine-tuning jobs, which it has built in. */
async function createInAimock(url: string): Promise<string> {
  const path = '/v1/fine_tuning/jobs'
  const body = JSON.stringify({ model: 'gpt-4o-mini', training_file: 'file-bench' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body })
  return `${path}/${((await response.json()) as { id: string }).id}`
}
