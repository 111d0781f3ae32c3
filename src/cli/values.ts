import { clockSpeed } from '../base/clock/clock.js'
import { aListedHost } from '../base/text/authority.js'
import { DURATION, isDuration, milliseconds } from '../base/text/duration.js'
import {
  aPort,
  aSeed,
  aVersion,
  choiceOf,
  webUrl as aWebUrl,
  wholeNumber,
  type ValueKind,
} from '../base/text/options.js'
import { aContract, contractVersions, type ContractVersion } from '../service/contract/versions.js'
import { withoutCredentials } from '../base/text/redaction/credentials.js'
import { secretProblem } from '../base/text/webhook-secret.js'
import { didYouMean } from '../base/text/nearest.js'
import {
  checkKey,
  checkNames,
  fileCheckNames,
  type FileCheckName,
} from '../service/scenario/check-names.js'
import type { BaseModelOptions } from '../emulator/base-model-options.js'
import { UsageError } from './usage-error.js'

/** A kind of value: how to read it from text, and how to describe it in errors. */
export interface Value<T> {
  /** Completes "--port takes …". */
  takes: string
  /** Whether an empty text is one. Default: the value was forgotten. */
  mayBeEmpty?: true
  /** Returns undefined for text that is not such a value. */
  read: (text: string) => T | undefined
  /** Writes a value for a command that repeats a run, so without secrets. Default: `String`. */
  write?: (value: T) => string
  /** All values, if there is a fixed list. */
  choices?: readonly string[] | undefined
  /** Why a text is refused that nobody may read: it completes "--secret …". */
  refusal?: (text: string) => string | undefined
  /** Suggests a value for another text. */
  hint?: ((text: string) => string) | undefined
}

/**
 * Reads a value.
 *
 * @param named Where the text comes from: `--port`, `SVTRAIN_EMULATOR_PORT` or a command.
 * @throws {UsageError} When the text is empty or not such a value.
 */
export function readValue<T>(named: string, value: Value<T>, text: string): T {
  if (text === '' && !value.mayBeEmpty)
    throw new UsageError(`${named} takes ${value.takes}; none was given.`)
  const refusal = value.refusal?.(text)
  if (refusal !== undefined) throw new UsageError(`${named} ${refusal}.`)
  const read = value.read(text)
  if (read !== undefined) return read
  const hint = value.hint?.(text) ?? ''
  throw new UsageError(`${named} takes ${value.takes}, not "${text}".${hint}`)
}

/** A value that functions take, too, by the same kind. `read` reads what may be one from text. */
function valueBy<T>(kind: ValueKind, read: (text: string) => T | undefined): Value<T> {
  const { expected, choices, hint, accepts } = kind
  return {
    takes: expected,
    choices,
    hint,
    read(text) {
      const value = read(text)
      return accepts(value) ? value : undefined
    },
  }
}

function digits(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : NaN
}

function decimal(text: string): number {
  return /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN
}

export function anyText(takes: string): Value<string> {
  return { takes, read: (text) => text }
}

/** Copied text often has spaces around it. */
export const jobId: Value<string> = {
  takes: 'the id of a job',
  read: (text) => text.trim() || undefined,
}

/** A secret that signs webhooks. */
export const webhookSecret: Value<string> = { ...anyText('a secret'), refusal: secretProblem }

/** Empty: no prefix. */
export const signaturePrefix: Value<string> = { ...anyText('a prefix'), mayBeEmpty: true }

export const port = valueBy(aPort, digits)

export const seed = valueBy(aSeed, digits)

export const artifactVersion = valueBy(aVersion, digits)

export const speed = valueBy(clockSpeed, decimal)

export const toggle: Value<boolean> = {
  takes: 'true or false',
  read(text) {
    if (['1', 'true', 'yes', 'on'].includes(text.toLowerCase())) return true
    if (['0', 'false', 'no', 'off'].includes(text.toLowerCase())) return false
    return undefined
  },
}

/** Which findings of the client checks fail a command. Variables may turn them on and off as a flag. */
export const failingChecks: Value<'fail' | boolean> = {
  takes: 'fail, so that warnings fail, too',
  read: (text) => (text === 'fail' ? text : toggle.read(text)),
  hint: (text) => didYouMean(text, ['fail']),
}

export function oneOf<const T extends string>(choices: readonly T[]): Value<T> {
  return valueBy(choiceOf(choices), (text) => choices.find((each) => each === text))
}

/** A contract of the service. */
export const contractVersion: Value<ContractVersion> = valueBy(aContract, (text) =>
  contractVersions.find((each) => each === text),
)

/** One word that fits into a header. */
export const token: Value<string> = {
  takes: 'a token of visible characters without spaces',
  read: (text) => (/^[!-~]+$/.test(text) ? text : undefined),
}

/** An address to bind. IPv6 addresses may be in brackets, as in URLs. */
export const address: Value<string> = {
  takes: 'an address or a host name to bind, such as 0.0.0.0',
  read: (text) => /^\[?([\w.:%-]+)\]?$/.exec(text)?.[1],
}

export const hostName = valueBy(aListedHost, (text) => text.toLowerCase())

/** Browsers send origins in a canonical form. The value has that form, so that the two can be compared. */
export const origin: Value<string> = {
  takes: 'an origin such as http://localhost:5173, or * for all',
  read(text) {
    if (text === '*' || text === 'null') return text
    const [, written] = /^([a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+)\/?$/i.exec(text) ?? []
    if (written === undefined || !URL.canParse(written)) return undefined
    const canonical = new URL(written).origin
    // `URL` has no origins for the schemes of browser extensions.
    return canonical === 'null' ? written.toLowerCase() : canonical
  },
}

/** Only characters that need no escaping in a URL or in a shell's `export` line. */
export const urlPath: Value<string> = {
  takes: 'a path of letters, digits and . _ ~ - such as /api/training',
  read(text) {
    const inside = text.replaceAll(/^\/+|\/+$/g, '')
    const segments = inside === '' ? [] : inside.split('/')
    // Clients resolve `.` and `..` before they send a path.
    const fine = segments.every((part) => /^[\w.~-]+$/.test(part) && !/^\.\.?$/.test(part))
    return fine ? inside : undefined
  },
}

export const webUrl: Value<string> = { ...valueBy(aWebUrl, String), write: withoutCredentials }

export const headerName: Value<string> = {
  takes: 'the name of a header, such as X-Hub-Signature-256',
  read: (text) => (/^[\w!#$%&'*+.^`|~-]+$/.test(text) ? text : undefined),
}

/** A base model, and the folder of its tokenizer. */
export const baseModel: Value<BaseModelOptions> = {
  takes: 'an id such as org/model, or an id and a folder such as org/model=./folder',
  read(text) {
    const [, id = '', folder] = /^([^=]+)(?:=(.+))?$/.exec(text) ?? []
    if (id === '') return undefined
    return { id, ...(folder !== undefined && { tokenizer: folder }) }
  },
  write: ({ id, tokenizer }) => (typeof tokenizer === 'string' ? `${id}=${tokenizer}` : id),
}

const SETTINGS = new Map<string, boolean | 'fail'>([
  ['false', false],
  ['true', true],
  ['fail', 'fail'],
])

/** Scenarios name checks in snake_case. */
function fileCheckNamed(name: string): FileCheckName | 'all' | undefined {
  if (name === 'all') return name
  return fileCheckNames.find((each) => each === name || checkKey(each) === name)
}

/** A check of `check-data`, or all, and how it runs. */
export const fileCheckSetting: Value<{ name: FileCheckName | 'all'; setting: boolean | 'fail' }> = {
  takes: 'a check and false, true or fail, such as equalRewards=false',
  read(text) {
    const [, named = '', written = ''] = /^([^=]*)=(.*)$/.exec(text) ?? []
    const name = fileCheckNamed(named)
    const setting = SETTINGS.get(written)
    return name === undefined || setting === undefined ? undefined : { name, setting }
  },
  hint(text) {
    const [name = '', setting] = text.split('=', 2)
    if (fileCheckNamed(name) !== undefined) {
      return setting === undefined ? '' : didYouMean(setting, [...SETTINGS.keys()])
    }
    if (checkNames.some((each) => each === name)) {
      return ` ${name} needs an emulator that has seen the chats. Checks of files: ${fileCheckNames.join(', ')}.`
    }
    const meant = didYouMean(name, ['all', ...fileCheckNames])
    return meant === '' ? ` Checks of files: ${fileCheckNames.join(', ')}.` : meant
  },
}

/** A whole number from 1. */
export function count(most: number): Value<number> {
  return valueBy(wholeNumber({ least: 1, most }), digits)
}

/** How long something may take. */
export const limit: Value<string> = {
  takes: `${DURATION}, above 0`,
  read: (text) => (isDuration(text) && milliseconds(text) > 0 ? text : undefined),
}

export const duration: Value<string> = {
  takes: DURATION,
  read: (text) => (isDuration(text) ? text : undefined),
}
