import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'

/** A body with a place for values, and the answers of the framework to each value. */
interface Group {
  name: string
  method: string
  path: string
  /** `@` stands for the value. A body in hexadecimal begins with `hex:`. */
  body: string
  answers: Answer[]
}

interface Answer {
  value: string
  status: number
  /** The body, as it was sent. */
  text?: string
  /** The steps that an accepted deletion was read as, in Python. */
  steps?: string
}

const ID = '0d2f7a1e-5a6b-4c3d-8e9f-000000000001'
const url = new URL('../../../fixtures/validation/exact.json', import.meta.url)
const { groups } = JSON.parse(readFileSync(url, 'utf8')) as { groups: Group[] }
const emulator = createEmulator({ scenario: { name: 'checked', message_arrays: 'checked' } })
const { id } = await emulator.models.create({ name: 'poet' })

/** Long runs are written as {{5000×0}} in the fixture. */
function full(text: string): string {
  return text.replaceAll(/\{\{(\d+)×([^}]+)\}\}/g, (_, count: string, part: string) => {
    return part.repeat(Number(count))
  })
}

async function answerTo({ method, path, body }: Group, value: string) {
  const text = full(body).replace('@', () => full(value))
  const outcome = await emulator.handle('training', {
    method,
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    path: path.replace(ID, id),
    query: '',
    base: 'http://host',
    body: text.startsWith('hex:')
      ? new Uint8Array(Buffer.from(text.slice(4), 'hex'))
      : new TextEncoder().encode(text),
  })
  if (outcome.kind !== 'response') throw new Error(`The outcome is ${outcome.kind}.`)
  return outcome
}

/** The framework had no data: it accepts every valid request. */
const ACCEPTED = [200, 400, 404, 409]

it.for(groups)('$name: the framework gives the same answers, byte by byte', async (group) => {
  const differences: unknown[] = []
  for (const { value, status, text, steps } of group.answers) {
    const ours = await answerTo(group, value)
    const isSame =
      text === undefined
        ? ACCEPTED.includes(ours.status) && !ours.body.includes('error parsing the body')
        : ours.status === status && ours.body === full(text)
    if (!isSame) differences.push({ value, status, text, ours: ours.body.slice(0, 500) })
    if (status === 500) expect(ours.headers['content-type']).toBe('text/plain; charset=utf-8')
    // Step 0 is there at first.
    if (steps === undefined || ours.body.includes('"deleted_count":1')) continue
    expect(ours.body).toMatch(`"not_found_steps":${full(steps)}`)
  }
  expect(differences).toEqual([])
})
