import { expect, it } from 'vitest'
import { Redaction } from '../../../src/service/engine/redaction.js'
import { LEFT_OUT, Redactor } from '../../../src/base/text/redaction/redact.js'

it('hides the secrets of a body in later texts of its call, while the body is there', () => {
  let body: string | undefined = '{"password": "hunter-22", "name": "ordinary"}'
  const redaction = new Redaction(new Redactor(), () => body)
  const hides = 'refused [not shown] of ordinary'
  expect(redaction.redact('refused hunter-22 of ordinary')).toBe(hides)
  redaction.pause()
  expect(redaction.redact('refused hunter-22 of ordinary')).toBe(hides)
  redaction.pause()
  body = undefined
  expect(redaction.redact('refused hunter-22 of ordinary')).toBe(LEFT_OUT)
  expect(redaction.redact('refused hunter-22 of ordinary', { isCut: true })).toBe(LEFT_OUT)
})

it('shows later texts of a call without a secret in its body, also if the body is forgotten', () => {
  let body: string | undefined = '{"name": "ordinary"}'
  const redaction = new Redaction(new Redactor(), () => body)
  redaction.examine()
  body = undefined
  expect(redaction.redact('refused ordinary')).toBe('refused ordinary')
})

it('shows no text of a call whose body was forgotten before somebody searched it', () => {
  const redaction = new Redaction(new Redactor(), () => undefined)
  expect(redaction.redact('refused hunter-22')).toBe(LEFT_OUT)
})

it('shows the texts of a call without a body', () => {
  expect(new Redaction(new Redactor()).redact('refused ordinary')).toBe('refused ordinary')
})
