import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Journal, type RequestEntry } from '../../../src/service/engine/journal.js'
import { Redaction } from '../../../src/service/engine/redaction.js'
import { LEFT_OUT, Redactor } from '../../../src/base/text/redaction/redact.js'

it('hides the secrets of a body in later texts of its call, also if the body is forgotten', () => {
  let body: string | undefined = '{"password": "hunter-22", "name": "ordinary"}'
  const redaction = redactionOf(() => body)
  const hides = 'refused [not shown] of ordinary'
  redaction.searchBody()
  body = undefined
  expect(redaction.redact('refused hunter-22 of ordinary')).toBe(hides)
  expect(redaction.redact('refused hunter-2', { isCut: true })).toBe('refused ')
})

it('shows no text of a call whose body was forgotten before somebody searched it', () => {
  expect(redactionOf(() => undefined).redact('refused hunter-22')).toBe(LEFT_OUT)
  expect(redactionOf(() => undefined).redact('refused', { isCut: true })).toBe(LEFT_OUT)
})

it('shows the texts of a call without a body, but not its credentials', () => {
  const redaction = new Redaction(new Redactor(), { credentials: ['the-key-of-ann'] })
  expect(redaction.redact('refused ordinary the-key-of-ann')).toBe('refused ordinary [not shown]')
})

function redactionOf(bodyText: () => string | undefined): Redaction {
  return new Redaction(new Redactor(), { credentials: [], bodyText })
}

it('hides secrets in what a request caused, however somebody looks at it', () => {
  const secret = '{"password": "hunter-22"}'
  const looks: ((entry: RequestEntry) => string)[] = [
    (entry) => inspect(entry),
    (entry) => JSON.stringify(entry),
    (entry) => String(entry.effects),
  ]
  for (const look of looks) {
    const journal = new Journal(() => 0)
    const entry = requestWith(journal, secret)
    expect(look(entry)).toContain('created [not shown]')
    expect(look(entry)).not.toContain('hunter-22')
  }
})

it('hides them if the body is forgotten before somebody looks', () => {
  const journal = new Journal(() => 0, { bodyBytes: 40 })
  const entry = requestWith(journal, '{"password": "hunter-22"}')
  requestWith(journal, '{"password": "hunter-33"}')
  expect(entry.bodyForgotten).toBe(true)
  expect(entry.effects).toEqual(['created [not shown]'])
})

function requestWith(journal: Journal, body: string): RequestEntry {
  const call = { method: 'POST', path: '/x', query: '', headers: {} }
  const entry = journal.open('training', { ...call, body: new TextEncoder().encode(body) })
  entry.effects.push('created hunter-22')
  journal.close(entry, 1)
  return entry
}
