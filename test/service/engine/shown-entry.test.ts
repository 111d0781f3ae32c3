import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import {
  Journal,
  type JournalEntry,
  type RequestEntry,
} from '../../../src/service/engine/journal.js'
import { redactionOf, shownEntry, textsOf } from '../../../src/service/engine/shown-entry.js'

const ASK = { method: 'POST', path: '/x', query: '', headers: {} }
const SECRET_BODY = '{"password": "hunter-22", "name": "ordinary"}'

function requestWith(journal: Journal, body: string): RequestEntry {
  const entry = journal.open('training', { ...ASK, body: new TextEncoder().encode(body) })
  entry.effects.push('created hunter-22 of ordinary')
  journal.close(entry, 1)
  return entry
}

it('cuts a response between two characters, and keeps nothing after the cut', () => {
  const journal = new Journal(() => 0)
  const entry = journal.open('training', { ...ASK, body: new Uint8Array() })
  const text = 'x'.repeat(65_535)
  const chunks = [`${text}\u{1f600}`, 'more']
  const sent = journal.respond(entry, { kind: 'stream', status: 200, headers: {}, chunks })
  expect(sent.kind === 'stream' && Array.from(sent.chunks as Iterable<string>)).toEqual(chunks)
  expect(entry.response).toMatchObject({ text, length: 65_541 })
})

const prints: ((entry: JournalEntry) => string)[] = [
  (entry) => inspect(entry),
  (entry) => JSON.stringify(entry),
]

it('hides secrets in prints and in the JSON of each kind of entry', () => {
  const journal = new Journal(() => 0)
  journal.redactor.remember('the-key-of-ann')
  const text = 'with the-key-of-ann'
  const about = { jobId: 'id', modelName: 'm', event: 'training_started' }
  const url = 'http://h/with the-key-of-ann'
  const sent = { deliveryId: 'id', attempt: 1, webhook: 'hook', url, event: 'E' }
  journal.note(text)
  journal.warn({ name: 'sleeping-client', text })
  journal.job(about, () => ({ text }))
  journal.receipt({ recordId: 'id', verdict: 'valid', text })
  journal.delivered(journal.delivery({ ...sent, text }), { status: 500, error: text, text })
  const entry = journal.open('training', { ...ASK, body: new Uint8Array() })
  Object.assign(entry, { detail: text, hint: text, inventedFor: text, fault: new Error(text) })
  entry.usage = { project: text, prompt_tokens: 1, completion_tokens: 1 }
  entry.effects.push(text)
  journal.close(entry, 1)
  for (const each of journal.entries) {
    for (const print of prints) {
      expect(print(each)).toContain('with [not shown]')
      expect(print(each)).not.toContain('the-key-of-ann')
    }
  }
})

it('hides the secrets of a body in the texts of its call only, also if the body is forgotten', () => {
  const journal = new Journal(() => 0, { bodyBytes: 60 })
  const entry = requestWith(journal, SECRET_BODY)
  const other = requestWith(journal, '{"password": "hunter-33"}')
  expect(entry.bodyForgotten).toBe(true)
  expect(shownEntry(entry).effects).toEqual(['created [not shown] of ordinary'])
  expect(shownEntry(other).effects).toEqual(['created hunter-22 of ordinary'])
  expect(redactionOf(entry)('refused hunter-2', { isCut: true })).toBe('refused ')
})

it('names each text that it shows, so that the secrets in it are not forgotten', () => {
  const journal = new Journal(() => 0)
  const sent = { deliveryId: 'id', attempt: 1, webhook: 'hook', url: 'its url', event: 'E' }
  journal.delivered(journal.delivery({ ...sent, text: 'x' }), {
    status: 500,
    error: 'its error',
    text: 'its text',
  })
  const entry = journal.open('training', { ...ASK, body: new Uint8Array() })
  Object.assign(entry, { hint: 'its hint', inventedFor: 'a judge', fault: 'its fault' })
  entry.usage = { project: 'its project', prompt_tokens: 1, completion_tokens: 1 }
  expect([...textsOf(journal.entries)]).toEqual(
    expect.arrayContaining([
      'its url',
      'its error',
      'its text',
      'its hint',
      'a judge',
      'its fault',
      'its project',
    ]),
  )
})
