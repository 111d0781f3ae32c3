import { DURATION_OR_MILLISECONDS, isDuration, LONGEST_DURATION, milliseconds } from './duration.js'
import { didYouMean } from './nearest.js'
import { shortened } from './shortened.js'
import { EmulatorError } from './emulator-error.js'
import { removedOptions, removedText } from './removed.js'
import { isForHeader } from './header-value.js'
import { findUnwritable } from './writable.js'

/**
 * Thrown for an option that is unknown or not valid, before the function does anything. Code
 * `SVTRAIN_OPTIONS`.
 */
export class OptionsError extends EmulatorError {
  override readonly name = 'OptionsError'
  readonly code = 'SVTRAIN_OPTIONS'
  /** The function that was called, such as `createEmulator`. */
  readonly function: string
  /** The option, such as `webhooks[0].url`. Empty if the options as a whole are wrong. */
  readonly option: string

  /** @internal */
  constructor({ of, path }: Pick<Place, 'of' | 'path'>, problem: string) {
    super(`${of}: ${problem}`)
    this.function = of
    this.option = path
  }
}

/** The place of a value that a caller passed: an option of a function, or a part of an option. */
export class Place {
  readonly of: string
  readonly path: string
  /** How error messages name it: `option "seed"`. */
  readonly what: string

  constructor(
    of: string,
    path: string,
    what = path === '' ? 'the options argument' : `option "${path}"`,
  ) {
    this.of = of
    this.path = path
    this.what = what
  }

  part(key: string): Place {
    return new Place(this.of, this.path === '' ? key : `${this.path}.${key}`)
  }

  item(index: number): Place {
    return new Place(this.of, `${this.path}[${index}]`)
  }

  wrong(value: unknown, expected: string, hint?: Hint): never {
    const suggestion = typeof value === 'string' ? hint?.(value) : undefined
    const problem = value === undefined ? 'is missing' : `is ${described(value)}`
    this.refuse(`${problem}; expected ${expected}.${suggestion ?? ''}`)
  }

  /** Throws an error. `problem` completes the sentence `option "seed" …`. */
  refuse(problem: string): never {
    throw new OptionsError(this, `${this.what} ${problem}`)
  }

  unknown(key: string, known: readonly string[]): never {
    const { of, path } = this.part(key)
    const hint = didYouMean(key, known)
    const unknown = `unknown option "${path}".${hint} Options: ${known.join(', ')}.`
    const name = `${of}.${path.replaceAll(/\[\d+\]/g, '[]')}`
    const removed = removedText(removedOptions, name, `option "${path}"`)
    throw new OptionsError({ of, path }, removed ?? unknown)
  }
}

/** A kind of values. `check` throws `OptionsError` for a value of another kind. */
export interface Kind {
  readonly check: (value: unknown, place: Place) => void
  /** Whether the option must be set. Default: false. */
  readonly required?: boolean
}

/** What a value may be. Options of functions, and options of commands in `cli/values`, take it. */
export interface ValueKind extends Kind {
  /** Completes "expected …" and "takes …". */
  readonly expected: string
  readonly accepts: (value: unknown) => boolean
  /** All values, if there is a fixed list. */
  readonly choices?: readonly string[] | undefined
  readonly hint?: Hint | undefined
}

/** Suggests a value for another text, with a space in front. */
type Hint = (written: string) => string

/** The kind of each option of `T`. The compiler reports missing and unknown keys. */
export type Table<T> = { readonly [Key in keyof Required<T>]: Kind }

/** The options of a public function. Checks the objects that callers pass. */
export class Options<T extends object> {
  readonly of: string
  readonly table: Table<T>

  constructor(of: string, table: Table<T>) {
    this.of = of
    this.table = table
  }

  get keys(): readonly string[] {
    return Object.keys(this.table)
  }

  /**
   * Checks an object of options.
   *
   * @param of - The function that was called, if several functions take these options.
   * @throws {OptionsError} When an option is unknown or not valid.
   */
  check(options: unknown, of = this.of): void {
    this.checkAt(options, new Place(of, ''))
  }

  /** Checks options that are an option of another function. */
  checkAt(options: unknown, place: Place): void {
    if (!isRecord(options)) {
      place.wrong(options, `an object with the options ${this.keys.join(', ')}`)
    }
    for (const key of Object.keys(options)) {
      if (!Object.hasOwn(this.table, key)) place.unknown(key, this.keys)
    }
    const kinds = Object.entries<Kind>(this.table)
    for (const [key, { check }] of kinds) {
      if (options[key] !== undefined) check(options[key], place.part(key))
    }
    // Wrong values are reported before missing ones.
    for (const [key, { check, required: isRequired }] of kinds) {
      if (isRequired) check(options[key], place.part(key))
    }
  }
}

/**
 * Checks an argument that is not an object of options.
 *
 * @throws {OptionsError} When it is not valid.
 */
export function checkArgument(
  of: string,
  { name, value, kind }: { name: string; value: unknown; kind: Kind },
): void {
  kind.check(value, new Place(of, name, name))
}

/**
 * Makes a kind from a test, and from a text that completes "expected …".
 * A bundle leaves out the kinds that it does not use.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function valueKind(
  expected: string,
  accepts: (value: unknown) => boolean,
  more?: Pick<ValueKind, 'choices' | 'hint'>,
): ValueKind {
  return {
    ...more,
    expected,
    accepts,
    check(value, place) {
      if (!accepts(value)) place.wrong(value, expected, more?.hint)
    },
  }
}

export function required({ check }: Kind): Kind {
  return { check, required: true }
}

export const anything = valueKind('anything', () => true)
export const aText = valueKind('a string', (value) => typeof value === 'string')
export const nonEmptyText = valueKind(
  'a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
)
export const aFlag = valueKind('true or false', (value) => typeof value === 'boolean')
export const anyFunction = valueKind('a function', (value) => typeof value === 'function')
export const anyObject = valueKind('an object', isObject)
/** What answers requests as an emulator does. */
export const anEmulator = valueKind(
  'an emulator',
  (value) => typeof (value as { handle?: unknown } | null | undefined)?.handle === 'function',
)
/** An object that is saved: JSON can write all of it. */
export const jsonObject: Kind = {
  check(value, place) {
    if (!isRecord(value)) return place.wrong(value, A_RECORD)
    const found = findUnwritable(value)
    if (found) found.path.reduce(partOf, place).refuse(`cannot be used: ${found.message}.`)
  },
}
export const anyNumber = valueKind('a number', (value) => typeof value === 'number')
export const anyList = valueKind('an array', Array.isArray)
export const aDuration = valueKind(DURATION_OR_MILLISECONDS, isDuration)
/** A duration after which something happens. The clock ends, so it cannot be any number. */
export const aDelay = valueKind(DURATION_OR_MILLISECONDS, (value) => {
  return isDuration(value) && milliseconds(value) <= LONGEST_DURATION
})
export const aPort = /* @__PURE__ */ wholeNumber({ most: 65_535 })
export const aSeed = /* @__PURE__ */ wholeNumber({ most: Number.MAX_SAFE_INTEGER })
/** The version of an artifact: the 3 of `v3`. */
export const aVersion = /* @__PURE__ */ wholeNumber()
export const webUrl = valueKind('a URL that begins with http:// or https://', (value) => {
  const text = isUrl(value) ? value.href : value
  return typeof text === 'string' && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)
})
export const textOrPattern = valueKind('a string or a regular expression', (value) => {
  return typeof value === 'string' || isOfClass('RegExp', value)
})

/** A secret. No message shows its value. */
export const aSecret: Kind = {
  check(value, place) {
    if (value === undefined) place.refuse('is missing; expected a string.')
    if (typeof value !== 'string') place.refuse('is not a string.')
    // Anybody knows the empty key, so what it signs proves nothing.
    if (value === '') place.refuse('is empty; expected a secret of at least one character.')
  },
}

/** A text that is sent in a header. Without this check, only `fetch` would refuse it, as if nothing answered. */
export function inHeader({ check }: Kind): Kind {
  return {
    check(value, place) {
      check(value, place)
      if (isForHeader(value as string)) return
      place.refuse(
        'cannot be sent in a header: it has a line break or a character that is not of Latin-1.',
      )
    },
  }
}

export function wholeNumber({ least = 0, most = Infinity } = {}): ValueKind {
  const range = most === Infinity ? `, at least ${least}` : ` from ${least} to ${most}`
  return valueKind(`a whole number${range}`, (value) => {
    return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
  })
}

export function oneOf(...choices: readonly string[]): ValueKind {
  return choiceOf(choices)
}

/** One of several texts. A suggestion is the nearest of them, unless there is a hint of its own. */
export function choiceOf(
  choices: readonly string[],
  hint: Hint = (written) => didYouMean(written, choices),
): ValueKind {
  const quoted = choices.map((choice) => `"${choice}"`)
  const expected = [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' or ')
  return valueKind(expected, (value) => choices.includes(value as string), { choices, hint })
}

export function listOf(item: Kind): Kind {
  return {
    check(value, place) {
      if (!Array.isArray(value)) return place.wrong(value, 'an array')
      for (const [index, each] of value.entries()) item.check(each, place.item(index))
    },
  }
}

export function recordOf(field: Kind): Kind {
  return {
    check(value, place) {
      if (!isRecord(value)) return place.wrong(value, A_RECORD)
      for (const [key, each] of Object.entries(value)) field.check(each, place.part(key))
    },
  }
}

function partOf(place: Place, key: string | number): Place {
  return typeof key === 'number' ? place.item(key) : place.part(key)
}

/** An object with options of its own. */
export function parts<T extends object>(options: Options<T>): Kind {
  return { check: (value, place) => options.checkAt(value, place) }
}

/** Accepts a value if `accepts` returns true for it, or if it is of that kind. */
export function either(accepts: (value: unknown) => boolean, otherwise: Kind): Kind {
  return {
    check(value, place) {
      if (!accepts(value)) otherwise.check(value, place)
    },
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isPromise(value)
}

const A_RECORD = 'a plain object, such as { name: value }'

/** Whether an object has its content as fields. A date, a map or the headers of fetch have none: all would be dropped. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isOfClass('Object', value)
}

export function isUrl(value: unknown): value is URL {
  return isOfClass('URL', value)
}

export function isDate(value: unknown): value is Date {
  return isOfClass('Date', value)
}

/** Works across realms, unlike `instanceof`: test runners run tests in their own realms. */
function isOfClass(name: string, value: unknown): boolean {
  return Object.prototype.toString.call(value) === `[object ${name}]`
}

export function isPromise(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Formats a value in a few words. Does not show the content of objects, which may have secrets. */
export function described(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(shortened(value.replaceAll(/\/\/[^/?#]*@/g, '//…@'), LONGEST))
  }
  if (isPromise(value)) return 'a promise (did you forget await?)'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}

/** The most characters of a text in a message. */
const LONGEST = 80
