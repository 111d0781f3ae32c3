import { describe, expect, it, onTestFinished } from 'vitest'
import { BackgroundErrors, type BackgroundError } from '../../../src/base/text/background-errors.js'
import { EmulatorError } from '../../../src/base/text/emulator-error.js'

function collecting(redact?: (text: string) => string) {
  const told: BackgroundError[] = []
  const errors = new BackgroundErrors({ show: (error) => told.push(error), redact })
  return { errors, told, texts: () => told.map(({ text }) => text) }
}

class NoRoom extends EmulatorError {
  override readonly name = 'NoRoom'
  readonly code = 'SVTRAIN_NO_ROOM'
}

const thrower: ProxyHandler<Error> = {
  getPrototypeOf() {
    throw new Error('no')
  },
}

function nearest(): Error {
  return new Error('deep')
}

describe('BackgroundErrors', () => {
  it.each([
    [new Error('ENOSPC: no space left'), 'ENOSPC: no space left'],
    [new TypeError('x is not a function'), 'TypeError: x is not a function'],
    [new NoRoom('The folder is full.'), 'The folder is full.'],
    [new Error('lost', { cause: new RangeError('too far') }), 'lost (RangeError: too far)'],
    [Object.assign(new RangeError('far'), { message: '' }), 'RangeError'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [new Error('one\n   two'), 'one two'],
  ])('says what failed and why: %s', (error, reason) => {
    const { errors, told } = collecting()
    errors.report('save the world', error, 7)
    expect(told).toMatchObject([{ text: `Failed to save the world: ${reason}`, cause: 7 }])
  })

  it('goes on after work that failed', async () => {
    const { errors, texts } = collecting()
    const fail = (): never => {
      throw new Error('no')
    }
    expect(errors.run('draw', fail)).toBe(undefined)
    expect(errors.run('draw', () => 3)).toBe(3)
    await errors.watch('send', Promise.reject(new Error('gone')))
    await errors.watch('send', Promise.resolve())
    expect(texts()).toEqual(['Failed to draw: no', 'Failed to send: gone'])
  })

  it('has the stack of an error, but not its message once more', () => {
    const { errors, told } = collecting()
    errors.report('sign', new Error('a\nlong\nmessage'))
    const [first, second, ...rest] = told[0]!.stack.split('\n')
    expect(first).toBe('Failed to sign: a long message')
    expect(second).toMatch(/^\s+at .*background-errors\.test\.ts/)
    expect(rest.length).toBeLessThan(10)
  })

  it('has the nearest frames of a deep stack', () => {
    const { errors, told } = collecting()
    const deep = (depth: number): Error => (depth === 0 ? nearest() : deep(depth - 1))
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 50
    onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit))
    errors.report('sign', deep(20))
    const [, first, ...rest] = told[0]!.stack.split('\n')
    expect(first).toContain('at nearest ')
    expect(rest).toHaveLength(9)
  })

  it.each([
    ['an object without a prototype', Object.create(null), 'object'],
    [
      'an error whose message is none',
      Object.assign(new Error('no'), { message: Symbol() }),
      'Error',
    ],
    ['an error whose name is none', Object.assign(new Error('no'), { name: Symbol() }), 'object'],
    ['an error that throws when it is read', new Proxy(new RangeError('x'), thrower), 'object'],
  ])('reports %s', (_what, error: unknown, kind) => {
    const { errors, texts } = collecting()
    errors.report('sign', error)
    expect(texts()).toEqual([`Failed to sign: ${kind} (its text cannot be shown)`])
  })

  it('says each cause once, and not all of many', () => {
    const { errors, texts } = collecting()
    const own = new Error('one')
    own.cause = own
    errors.report('sign', own)
    const first = new Error('first')
    first.cause = new Error('second', { cause: first })
    errors.report('sign', first)
    const many = Array.from({ length: 100 }, (_, index) => index)
    errors.report(
      'sign',
      many.reduceRight<Error>((cause, index) => new Error(`${index}`, { cause }), own),
    )
    expect(texts()).toEqual([
      'Failed to sign: one',
      'Failed to sign: first (second)',
      'Failed to sign: 0 (1 (2 (3 (4))))',
    ])
  })

  it('shows no secret of a message whose lines look like frames', () => {
    const secret = 'whsec_0123456789'
    const { errors, told } = collecting((text) => text.replaceAll(secret, '[not shown]'))
    errors.report('sign', new Error(`no\n    at ${secret}`))
    const changed = new Error(`no\n    at ${secret}`)
    expect(changed.stack).toContain(secret)
    changed.message = 'changed'
    errors.report('sign', changed)
    const [lines, ofChanged] = told.map(({ stack }) => stack.split('\n'))
    expect(lines![1]).toMatch(/^\s+at .*background-errors\.test\.ts/)
    expect(ofChanged![1]).toBe('    at [not shown]')
    expect(told.map(({ stack }) => stack).join('\n')).not.toContain(secret)
  })

  it('shows no secret, also if it would be cut in half', () => {
    const secret = 'whsec_0123456789'
    const { errors, told } = collecting((text) => text.replaceAll(secret, '[not shown]'))
    errors.report('sign', new Error(`${'x'.repeat(485)} ${secret} ${'y'.repeat(500)}`))
    expect(told[0]!.text).toMatch(/x \[not shown\] y+…$/)
    expect(told[0]!.stack).not.toContain('whsec')
    errors.report(`answer GET /models/${secret}`, new Error('no'))
    expect(told[1]!.text).toBe('Failed to answer GET /models/[not shown]: no')
  })

  it('shows the name of an error alone if its secrets cannot be removed', () => {
    const { errors, told } = collecting(() => {
      throw new RangeError('too many secrets')
    })
    errors.report('sign', new SyntaxError('Invalid regular expression: /whsec_0123456789/'))
    expect(told[0]!.text).toBe('Failed to do its work: SyntaxError (its text cannot be shown)')
    expect(told[0]!.stack).not.toContain('whsec')
  })
})
