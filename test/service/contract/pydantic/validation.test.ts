import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readJsonBody } from '../../../../src/service/contract/pydantic/body.js'
import { plainOf } from '../../../../src/service/contract/pydantic/exact.js'
import { parsePythonJson } from '../../../../src/service/contract/pydantic/python-json.js'
import { validateBody } from '../../../../src/service/contract/pydantic/validate.js'
import { createEmulator } from '../../../../src/index.js'
import { Router } from '../../../../src/service/api/route.js'
import { operations } from '../../../../src/compose/control-table.js'

/**
 * A request of the corpus. It must get the answer that the real framework gave. test/interop/oracle
 * describes how the corpus was created.
 */
interface JudgedRequest {
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  /** Stands for a body that is not text. */
  base64?: string
}

interface Answer {
  status: number
  detail?: unknown
  /** What an accepted body was read as. */
  value?: unknown
}

/** The framework has grown strict about a missing Content-Type; it used to take it for JSON. */
const KNOWN_DIFFERENCE = /^content type: (none)?$/

const requests = fixture<JudgedRequest[]>('requests.json')
const { answers } = fixture<{ answers: Record<string, Answer> }>('answers.json')
const rows = requests.map((request) => {
  const { name } = request
  return { name, request, theirs: answers[name]!, differs: KNOWN_DIFFERENCE.test(name) }
})

/** A good request may be about something that we do not have; the framework's judge had no data. */
const ACCEPTED = [200, 400, 404, 409]

// The recorded answers check arrays in messages.
const emulator = createEmulator({ scenario: { name: 'checked', message_arrays: 'checked' } })
const router = new Router(operations.filter(({ host }) => host === 'training'))

async function answerTo(request: JudgedRequest): Promise<Answer> {
  const [path, query = ''] = request.path.split('?') as [string, string?]
  const { method, headers } = request
  const asked = { method, headers, path, query, base: 'http://host', body: bytesOf(request) }
  const outcome = await emulator.handle('training', asked)
  const { status, body } = outcome as { status: number; body: string }
  return { status, detail: body.startsWith('{') ? exactly<Answer>(body).detail : undefined }
}

function bytesOf({ body, base64 }: JudgedRequest): Uint8Array {
  if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, 'base64'))
  return new TextEncoder().encode(body ?? '')
}

describe('validation agrees with the framework', () => {
  it.for(rows.filter(({ differs }) => !differs))('$name', async ({ request, theirs }) => {
    const ours = await answerTo(request)
    if (theirs.status === 200) {
      expect(ACCEPTED).toContain(ours.status)
      expect(ours.detail).not.toBe('Not Found')
    } else {
      expect(ours.status).toBe(theirs.status)
      if (theirs.detail !== undefined) expect(ours.detail).toEqual(theirs.detail)
    }
  })
})

describe('parsing gives the same values as the framework', () => {
  const read = rows.filter(({ theirs, differs, request }) => {
    return theirs.value !== undefined && !differs && bytesOf(request).length > 0
  })
  it.for(read)('$name', ({ request, theirs }) => {
    const match = router.match(request.method, request.path.split('?')[0]!)
    if (match.kind !== 'found') throw new Error(`no operation for ${request.path}`)
    const json = readJsonBody(bytesOf(request), request.headers['content-type'])
    if (!match.operation.body || json.kind !== 'value') return expect(theirs.status).toBe(200)
    const { body } = match.operation
    const { value } = validateBody(body, json.value, json) as { value: unknown }
    // The emulator fills in defaults, the framework program does not print them. Times stay
    // unchanged.
    const told = JSON.stringify(plainOf(theirs.value), (key, part: unknown) =>
      key === 'start_time' ? undefined : part,
    )
    expect(JSON.parse(JSON.stringify(plainOf(value)))).toMatchObject(JSON.parse(told) as object)
  })
})

describe('validation differs from the framework', () => {
  it.for(rows.filter(({ differs }) => differs))('$name', async ({ request, theirs }) => {
    expect((await answerTo(request)).status).not.toBe(theirs.status)
  })
})

it('the corpus covers all kinds of errors', () => {
  expect(rows.length).toBeGreaterThan(1000)
  expect(rows.some(({ differs }) => differs)).toBe(true)
})

function fixture<T>(name: string): T {
  const url = new URL(`../../../fixtures/validation/${name}`, import.meta.url)
  return exactly<T>(readFileSync(url, 'utf8'))
}

/** Reads a text without loss: 1 and 1.0 differ, and large integers keep their digits. */
function exactly<T>(text: string): T {
  const parsed = parsePythonJson(text)
  if (parsed.kind !== 'value') throw new Error(`not JSON: ${text.slice(0, 80)}`)
  return parsed.value as T
}
