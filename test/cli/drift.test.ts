import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownDocument, type Editable } from '../tools/drift/documents.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { refused, run } from './commands.js'

const JOBS = '/v1/preview/training-jobs'

/** Writes a document of the service, which differs from that of the emulator by this change. */
function changed(change: (document: Editable) => void = () => {}, name = 'openapi.json'): string {
  const document = ownDocument()
  change(document)
  const file = join(temporaryFolder(), name)
  writeFileSync(file, JSON.stringify(document))
  return file
}

function withCost(document: Editable): void {
  document['components'].schemas.Trajectory.properties.cost = { type: 'number' }
}

const FIELD = 'request → trajectory_groups[].trajectories[].cost'

describe('drift', () => {
  it('finds nothing in the document of the emulator', async () => {
    const file = changed()
    const { code, stdout } = await run(`drift ${file}`)
    expect(code).toBe(0)
    expect(stdout).toBe(
      `Compared ${file} with the training API of the emulator: 14 operations in both.\nNo drift.`,
    )
  })

  it('prints each difference, its places, and who notices', async () => {
    const { code, stdout } = await run(`drift ${changed(withCost)}`)
    expect(code).toBe(1)
    expect(stdout.split('\n').slice(1)).toEqual([
      '',
      `additive  field-added POST /v1/preview/models/{model_id}/log → ${FIELD}`,
      '  The service takes it, the emulator does not know it. Who notices: clients that send it.',
      `  also field-added POST ${JOBS} → ${FIELD}`,
      '',
      'Drift: 2 additive.',
    ])
  })

  it('says that a document has nothing in common with the emulator', async () => {
    const file = changed((document) => (document['paths'] = { '/cats': { get: {} } }))
    const { code, stdout } = await run(`drift ${file}`)
    expect(code).toBe(1)
    expect(stdout).toContain('No operation is in both. Is it the document of this service')
    expect(stdout).toContain('additive  operation-added GET /cats')
  })

  it('compares the inference API if the document is of that one', async () => {
    const file = join(temporaryFolder(), 'inference.json')
    writeFileSync(file, JSON.stringify(ownDocument('inference')))
    expect((await run(`drift ${file}`)).stdout).toContain('with the inference API')
    expect((await run(`drift ${file} --no-inference`)).stdout).toContain('with the training API')
  })

  it('prints JSON', async () => {
    const { stdout } = await run(`drift ${changed(withCost)} --json`)
    const { document, differences } = JSON.parse(stdout) as Editable
    expect(document).toMatchObject({ api: 'training', operations: 14 })
    expect(differences[1]).toEqual({
      id: `field-added POST ${JOBS} → ${FIELD}`,
      kind: 'field-added',
      severity: 'additive',
      place: `POST ${JOBS} → ${FIELD}`,
      what: 'the service takes it, the emulator does not know it',
      who: 'clients that send it',
      allowed: false,
    })
  })

  it('shows words with --all', async () => {
    const file = changed((document) => (document['paths'][JOBS].post.summary = 'Train'))
    expect((await run(`drift ${file}`)).code).toBe(0)
    const { code, stdout } = await run(`drift ${file} --all`)
    expect(code).toBe(1)
    expect(stdout).toContain(`cosmetic  summary-changed POST ${JOBS}`)
  })

  it('accepts what the allow list names, and reports entries that match nothing', async () => {
    const file = changed(withCost)
    const allow = join(temporaryFolder(), 'drift.yaml')
    writeFileSync(
      allow,
      `- id: field-added * → ${FIELD}\n  reason: not needed yet\n- id: field-removed GET /v1/old\n`,
    )
    const { code, stdout } = await run(`drift ${file} --allow ${allow}`)
    expect(code).toBe(0)
    expect(stdout.split('\n').slice(1)).toEqual([
      '',
      'These entries of the allow list match no difference any more:',
      '  field-removed GET /v1/old',
      '',
      'No drift (2 allowed).',
    ])
  })

  it.each(['drift.yaml', 'drift.json'])('writes the allow list into %s', async (name) => {
    const file = changed(withCost)
    const allow = join(temporaryFolder(), name)
    expect((await run(`drift ${file} --allow ${allow} --update-allow`)).code).toBe(0)
    expect((await run(`drift ${file} --allow ${allow}`)).stdout).toContain('No drift (2 allowed).')
    // Nothing differs any more.
    await run(`drift ${changed()} --allow ${allow} --update-allow`)
    expect(readFileSync(allow, 'utf8')).toBe('[]\n')
  })

  it('keeps comments and reasons when it writes the list', async () => {
    const allow = join(temporaryFolder(), 'drift.yaml')
    const list = `# Reviewed in May.\n- id: field-added POST ${JOBS} → ${FIELD}\n  reason: ours\n`
    writeFileSync(allow, list)
    await run(`drift ${changed(withCost)} --allow ${allow} --update-allow`)
    expect(readFileSync(allow, 'utf8')).toBe(
      `${list}- id: field-added POST /v1/preview/models/{model_id}/log → ${FIELD}\n  reason: accepted by --update-allow\n`,
    )
  })

  it('fetches a URL, and does not print its keys', async () => {
    const server = createServer((request, response) => {
      const { authorization } = request.headers
      const expected = `Basic ${Buffer.from('me:pass').toString('base64')}`
      response.writeHead(
        authorization === expected && request.url === '/o.json?key=abc' ? 200 : 401,
      )
      response.end(JSON.stringify(ownDocument()))
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stdout } = await run(`drift http://me:pass@${host}/o.json?key=abc`)
    expect(code).toBe(0)
    expect(stdout).toContain(`Compared http://${host}/o.json?… with`)
    const { message } = await refused(`drift http://${host}/o.json?key=wrong`)
    expect(message).toBe(
      `Failed to fetch http://${host}/o.json?…: it answered 401. If it needs a key, save the document to a file first.`,
    )
  })

  it('checks a recording', async () => {
    const folder = temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const lines = [
      {
        type: 'recording',
        version: 1,
        started_at: '',
        training_url: '',
        inference_url: '',
        contents: 'redacted',
      },
      {
        type: 'request',
        id: 1,
        at: 0,
        host: 'training',
        method: 'GET',
        path: '/preview/base-models',
        query: '',
        headers: {},
      },
      { type: 'response', id: 1, at: 1, status: 418, headers: {} },
      { type: 'end', id: 1, at: 1, how: 'complete' },
    ]
    writeFileSync(
      join(folder, 'recording.ndjson'),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
    const { code, stdout } = await run(`drift --recording ${folder}`)
    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      'Checked 1 recorded response.',
      '',
      'additive  recorded-status-unknown GET /v1/preview/base-models → response 418',
      '  The service returned this status, the emulator does not document it. Who notices: clients that handle 418. Seen in 1 response, first in that of request 1.',
      '',
      'Drift: 1 additive.',
    ])
  })

  it.each([
    ['drift', 'drift takes a document or --recording; none was given.'],
    ['drift none.json', 'Failed to read none.json: '],
    ['drift --recording none', '"none" does not exist.'],
    ['drift http://127.0.0.1:1/openapi.json', 'Failed to fetch http://127.0.0.1:1/openapi.json: '],
    ['drift package.json', 'package.json is not an OpenAPI document: it has no key "openapi".'],
    ['drift x.json --update-allow', '--update-allow takes the file of --allow; none was given.'],
  ])('%s is refused', async (line, message) => {
    expect((await refused(line)).message).toContain(message)
  })

  it.each([
    ['a: 1', 'is not a list'],
    ['- hello', 'Entry 1 of'],
    ['- id: a\n  why: b', 'unknown key "why"'],
    ['- reason: a', 'has no "id"'],
    ['- id: [', 'Failed to parse'],
  ])('refuses the allow list %j', async (text, message) => {
    const allow = join(temporaryFolder(), 'drift.yaml')
    writeFileSync(allow, text)
    expect((await refused(`drift ${changed()} --allow ${allow}`)).message).toContain(message)
  })
})
