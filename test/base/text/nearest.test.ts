import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/base/text/nearest.js'

describe('a suggestion', () => {
  it.each([
    ['exce', ['exec', 'explore'], 'exec'],
    ['jsn', ['pretty', 'json'], 'json'],
    ['bsh', ['bash', 'zsh'], 'bash'],
    ['kson', ['pretty', 'json'], 'json'],
    ['yb', ['to', 'by'], 'by'],
    ['poet:step9', ['poet:step0', 'poet:step1', 'poet:step3', 'poet:step12'], 'poet:step12'],
    ['poet:step9', ['poet:step3', 'poet:step0'], 'poet:step3'],
    ['poet:step12', ['poet:step1', 'poet:step9', 'poet:steps12'], 'poet:step9'],
    ['faling-job', ['happy-path', 'failing-job'], 'failing-job'],
  ])('for %s in %j is %s', (written, candidates, best) => {
    expect(nearest(written, candidates)).toBe(best)
  })

  it.each([
    ['fish', ['bash', 'zsh']],
    ['anything', []],
  ])('for %s in %j is none', (written, candidates) => {
    expect(nearest(written, candidates)).toBeUndefined()
  })
})
