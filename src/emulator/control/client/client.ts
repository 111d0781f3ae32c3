import type { Operation } from '../../../service/api/operation.js'
import {
  anyFunction,
  Options,
  required,
  aSecret,
  aText,
  webUrl,
} from '../../../base/text/options.js'
import { COMMAND } from '../../../base/text/command.js'
import { EmulatorError } from '../../../base/text/emulator-error.js'
import { refuseRemoved } from '../../../base/text/removed-error.js'
import { removedFromClient } from '../../../base/text/removed.js'
import type { ControlRow } from '../table.js'
import { requestOf, type Call } from './call.js'
import { emulatorMethods } from './emulator.js'
import { artifactsMethods } from './artifacts.js'
import { clockMethods } from './clock.js'
import { runsMethods } from './runs.js'
import { scenarioMethods } from './scenario.js'
import { modelsMethods } from './models.js'
import { jobsMethods } from './jobs.js'
import { faultsMethods } from './faults.js'
import { webhooksMethods } from './webhooks.js'
import { deliveriesMethods } from './deliveries.js'
import { requestsMethods } from './requests.js'
import { evidenceMethods } from './evidence.js'

export type { JobsWhere, JobWanted } from './jobs.js'
export type { ModelWanted } from './models.js'
export type { SettleBounds } from './clock.js'
export type { UseOptions } from './scenario.js'
export { OptionsError } from '../../../base/text/options.js'

/** The options of `createClient`. */
export interface ClientOptions {
  /** The URL of the training API: `http://127.0.0.1:4600`, or any URL below it, such as the base URL. */
  url: string | URL
  /** The control token, if the emulator asks for one. */
  token?: string | undefined
  /** An API key: selects its world if each key has its own. Default: the emulator's own world. */
  world?: string | undefined
  /** Default: the global `fetch`. The `fetch` of an emulator in process works as well. */
  fetch?: typeof globalThis.fetch
}

export const clientOptions = new Options<ClientOptions>('createClient', {
  url: required(webUrl),
  token: aSecret,
  world: aText,
  fetch: anyFunction,
})

/** Thrown when the emulator refuses a call. Code `SVTRAIN_CONTROL_REFUSED`. */
export class ControlError extends EmulatorError {
  override readonly name = 'ControlError'
  readonly code = 'SVTRAIN_CONTROL_REFUSED'
  /** 400: a wrong value. 401: the token. 403: the caller. 404: no such thing. 409: not possible now. */
  readonly status: number
  /**
   * What the emulator said.
   *
   * @internal
   */
  readonly detail: string
  constructor(call: string, status: number, detail: string) {
    super(`Failed to ${call}: ${detail} (status ${status})`)
    this.status = status
    this.detail = detail
  }
}

/** Thrown when no emulator answers. Code `SVTRAIN_UNREACHABLE`. */
export class UnreachableError extends EmulatorError {
  override readonly name = 'UnreachableError'
  readonly code = 'SVTRAIN_UNREACHABLE'
  /** @param found What answers there instead. */
  constructor(url: string, { cause, found }: { cause?: unknown; found?: string }) {
    const what = found ?? 'Is it running, and is this its training port?'
    super(`Failed to reach an emulator at ${url}. ${what} Start one with: ${COMMAND}`, { cause })
  }
}

/**
 * Makes the function that a client calls the control API with.
 *
 * @typeParam Row The rows that it can call. Default: those that no tool brings.
 */
export function callOf<Row extends Operation = ControlRow>(options: ClientOptions): Call<Row> {
  const { url, token, world, fetch: send = globalThis.fetch } = options
  const root = `${new URL(url).origin}/_emulator`

  const call = async (route: string, sent?: object): Promise<unknown> => {
    const { method, path, body } = requestOf(route, sent)
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (world !== undefined) headers['svtrain-world'] = world
    const response = await send(root + path, { method, headers, body }).catch((error: unknown) => {
      throw new UnreachableError(root, { cause: error })
    })
    const type = response.headers.get('content-type') ?? ''
    if (type.includes('octet')) return new Uint8Array(await response.arrayBuffer())
    const text = await response.text()
    const isPage = type.includes('html') && !path.startsWith('/report')
    if (response.ok && !isPage) return type.includes('json') ? JSON.parse(text) : text
    if (await isStranger(root, send)) {
      const found = `Another server answers there, with status ${response.status}. The training API of an emulator is at an address such as http://127.0.0.1:4600/v1.`
      throw new UnreachableError(root, { found })
    }
    throw new ControlError(`${method} /_emulator${path}`, response.status, detailOf(text))
  }
  return call as Call<Row>
}

/**
 * The methods of a client.
 *
 * @typeParam Tools The methods that tools bring.
 */
export type ControlMethods<Tools extends object> = ReturnType<typeof controlMethods<Tools>>

/**
 * Returns the methods of a client. A new row of the control API needs a method here.
 *
 * @param tools The methods that tools bring, such as those of explorations.
 */
export function controlMethods<Tools extends object>(call: Call, tools: Tools) {
  const methods = {
    ...emulatorMethods(call),
    ...clockMethods(call),
    ...scenarioMethods(call),
    ...tools,
    ...modelsMethods(call),
    ...jobsMethods(call),
    ...runsMethods(call),
    ...artifactsMethods(call),
    ...faultsMethods(call),
    ...webhooksMethods(call),
    ...deliveriesMethods(call),
    ...requestsMethods(call),
    ...evidenceMethods(call),
  }
  refuseRemoved(methods, removedFromClient, 'client')
  return methods
}

/** Whether another server answers. An emulator that has just closed is none, and answers nothing. */
async function isStranger(root: string, send: typeof globalThis.fetch): Promise<boolean> {
  const text = await send(`${root}/info`).then(
    (answer) => answer.text(),
    () => undefined,
  )
  return text !== undefined && !text.includes('"name":"svtrain-emulator"')
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // Something else than an emulator answered.
  }
  return text.slice(0, 200)
}
