import { described, isObject } from '../../base/text/options.js'
import { Artifacts } from '../../emulator/artifacts.js'
import { Checkpoints } from '../../emulator/checkpoints.js'
import { FaultControl } from '../../emulator/faults.js'
import { Jobs } from '../../emulator/jobs.js'
import { Models } from '../../emulator/models.js'
import { Runs } from '../../emulator/runs.js'
import { JobHandle } from '../../emulator/testing/job-handle.js'
import { Requests } from '../../emulator/testing/requests.js'
import { Delivery } from '../../webhooks/sending/delivery.js'
import { Webhooks } from '../../webhooks/sending/webhooks.js'
import { ReceivedDelivery } from '../../webhooks/sink/received-delivery.js'
import { Sink } from '../../webhooks/sink/sink.js'

/**
 * Refuses a value of the wrong kind.
 *
 * @param what What the matcher needs: `a job`.
 * @param remedy A sentence that says what to pass.
 *
 * @throws {TypeError} Always.
 */
export function notFor(value: unknown, what: string, remedy: string): never {
  throw new TypeError(`This is ${named(value)}, not ${what}. ${remedy}`)
}

/**
 * The part of an emulator that a matcher looks at. A test passes the emulator, or the part itself.
 *
 * @throws {TypeError} When it passes anything else.
 */
export function partOf<Part>(
  value: unknown,
  partClass: new (...parts: never[]) => Part,
  name: string,
): Part {
  const part = value instanceof partClass ? value : (Object(value) as Fields)[name]
  if (part instanceof partClass) return part
  return notFor(value, 'an emulator', `Pass the emulator, or emulator.${name}.`)
}

type Fields = Readonly<Record<string, unknown>>

/** What tests take by mistake. The package is minified, so its classes have no names to show. */
const OWN_CLASSES = [
  [JobHandle, 'a job'],
  [Sink, 'a webhook sink'],
  [ReceivedDelivery, 'a delivery that a sink received'],
  [Delivery, 'a delivery that the emulator sent'],
  [Artifacts, 'emulator.artifacts'],
  [Checkpoints, 'emulator.checkpoints'],
  [FaultControl, 'emulator.faults'],
  [Jobs, 'emulator.jobs'],
  [Models, 'emulator.models'],
  [Requests, 'emulator.requests'],
  [Runs, 'emulator.runs'],
  [Webhooks, 'emulator.webhooks'],
] as const

/** The most fields of an object in a message. */
const MOST_FIELDS = 4

/** Names a value in a few words, without the content of objects. */
function named(value: unknown): string {
  if (Array.isArray(value)) return listNamed(value)
  if (!isObject(value)) return described(value)
  const own = OWN_CLASSES.find(([ownClass]) => value instanceof ownClass)
  if (own) return own[1]
  if (value['requests'] instanceof Requests) return 'an emulator'
  const madeBy = value['constructor']
  if (typeof madeBy === 'function' && madeBy !== Object && madeBy.name !== '') {
    return `an instance of ${madeBy.name}`
  }
  const fields = Object.keys(value)
  if (fields.length === 0) return 'an object without fields'
  const more = fields.length > MOST_FIELDS ? ', …' : ''
  return `an object with the fields ${fields.slice(0, MOST_FIELDS).join(', ')}${more}`
}

function listNamed([first, ...others]: readonly unknown[]): string {
  if (first === undefined && others.length === 0) return 'an empty array'
  return `an array that begins with ${Array.isArray(first) ? 'an array' : named(first)}`
}

/** The result of a matcher, for Vitest and Jest. `message` is called only on failure. */
export interface Verdict {
  pass: boolean
  message: () => string
}
