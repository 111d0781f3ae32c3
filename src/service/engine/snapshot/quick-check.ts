import { isObject } from '../../../base/text/options.js'
import { MOST_SEQUENCES } from './record-schema.js'
import { LAST_MOMENT, type WorldRecord } from './records.js'

/*
 * A world has three records for each job, and their schemas take longer than all other work of a start. These checks
 * know the records as the emulator writes them. What they don't know may still be valid: the schemas say so, or what
 * is wrong.
 */

/** Whether a value is certainly valid. */
export type Check = (value: unknown) => boolean
/** The fields of an object, in the order of its schema. A schema puts them into this order. */
type Fields = readonly (readonly [name: string, check: Check, optional?: 'optional'])[]

export const isText: Check = (value) => typeof value === 'string'
const isId: Check = (value) => typeof value === 'string' && value !== ''
const isFlag: Check = (value) => typeof value === 'boolean'
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
export const isOrdinal: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0
const isPlace: Check = (value) => Number.isSafeInteger(value) && Number(value) >= -1
const isSteps: Check = (value) => isCount(value) && Number(value) <= MOST_SEQUENCES
const isSpace: Check = (value) => Number.isFinite(value) && Number(value) >= 0
export const isMoment: Check = (value) => isSpace(value) && Number(value) <= LAST_MOMENT
export const isFigure: Check = (value) => value === null || Number.isFinite(value)
/** What a map may hold whose values can be anything. */
export const isSimple: Check = (value) => isFigure(value) || isText(value) || isFlag(value)

function is(text: string): Check {
  return (value) => value === text
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

function tupleOf(...checks: readonly Check[]): Check {
  return (value) => {
    return (
      Array.isArray(value) &&
      value.length === checks.length &&
      checks.every((check, index) => check(value[index]))
    )
  }
}

export function mapOf(check: Check): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const key of Object.keys(value)) {
      if (key === '__proto__' || !check((value as Record<string, unknown>)[key])) return false
    }
    return true
  }
}

function objectOf(fields: Fields): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null) return false
    const keys = Object.keys(value)
    let at = 0
    for (const [name, check, optional] of fields) {
      if (keys[at] === name) {
        if (!check((value as Record<string, unknown>)[name])) return false
        at++
      } else if (!optional) return false
    }
    return at === keys.length
  }
}

/** Fields in any order. They have no defaults, so that an object without a field is one without its value. */
export function fieldsOf(
  fields: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const [needed, others] = [Object.entries(fields), Object.entries(optional)]
  return (value) => {
    if (typeof value !== 'object' || value === null) return false
    const given = value as Record<string, unknown>
    for (const [name, check] of needed) if (!check(given[name])) return false
    let known = needed.length
    for (const [name, check] of others) {
      if (given[name] === undefined) continue
      if (!check(given[name])) return false
      known++
    }
    return Object.keys(value).length === known
  }
}

const isModel = objectOf([
  ['id', isText],
  ['entity', isText],
  ['project', isText],
  ['name', isText],
])

const checks: Partial<Record<string, Check>> = {
  clock: objectOf([
    ['kind', is('clock')],
    ['now', isMoment],
  ]),
  checkpoint: objectOf([
    ['kind', is('checkpoint')],
    ['key', isText],
    ['model', isText],
    ['step', isCount],
    ['createdAt', isMoment],
    ['metrics', listOf(tupleOf(isText, isFigure))],
    ['servedFrom', isMoment, 'optional'],
    ['servedUntil', isMoment, 'optional'],
    ['expiresAt', isMoment, 'optional'],
    ['deleted', isFlag],
  ]),
  progress: objectOf([
    ['kind', is('progress')],
    ['key', isText],
    [
      'state',
      objectOf([
        ['status', (value) => value === 'queued' || value === 'running' || isOver(value)],
        ['startedAt', isMoment, 'optional'],
        ['endedAt', isMoment, 'optional'],
        ['errorMessage', isText, 'optional'],
        ['started', mapOf(isSimple), 'optional'],
        ['gradientSteps', isSteps],
        ['checkpointStep', isCount, 'optional'],
        [
          'moments',
          objectOf([
            ['size', isCount],
            ['last', isMoment],
            ['runs', listOf(tupleOf(isCount, isMoment, isSpace))],
          ]),
        ],
      ]),
    ],
    ['script', tupleOf(isCount, isSteps, isSteps)],
    ['due', isMoment, 'optional'],
  ]),
  job: objectOf([
    ['kind', is('job')],
    ['key', isId],
    ['jobKind', (value) => value === 'rl' || value === 'sft'],
    ['model', isModel],
    ['ordinal', isOrdinal],
    ['createdAt', isMoment],
    ['author', isText],
    // The caller checks an object: most jobs have the same rule.
    ['rule', (value) => isPlace(value) || isObject(value)],
    [
      'submission',
      objectOf([
        ['sequences', isSteps],
        ['learningRate', (value) => isFigure(value) || listOf(isFigure)(value), 'optional'],
        ['metrics', mapOf(isFigure)],
        ['flaw', isText, 'optional'],
        ['nothingToTrain', isText, 'optional'],
      ]),
    ],
  ]),
}

function isOver(status: unknown): boolean {
  return status === 'ended' || status === 'failed'
}

/**
 * Whether a record is certainly what its schema accepts without a change, apart from the rule of a job if it is an
 * object. If not, only the schema knows.
 */
export function isSurelyValid(record: unknown): record is WorldRecord {
  const { kind } = Object(record) as { kind?: unknown }
  return typeof kind === 'string' && Object.hasOwn(checks, kind) && checks[kind]!(record)
}
