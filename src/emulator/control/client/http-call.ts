import type { Operation } from '../../../service/api/operation.js'
import {
  anyFunction,
  aSecret,
  aText,
  inHeader,
  Options,
  required,
  webUrl,
} from '../../../base/text/options.js'
import { shortened } from '../../../base/text/shortened.js'
import type { ControlRow } from '../table.js'
import { EMULATOR_HEADER, requestOf, type Call, type PlainRequest } from './call.js'
import { ControlError, UnreachableError } from './control-errors.js'

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
  token: inHeader(aSecret),
  world: inHeader(aText),
  fetch: anyFunction,
})

/**
 * Makes the function that a client calls the control API with.
 *
 * @typeParam Row The rows that it can call. Default: those that no tool brings.
 * @throws {OptionsError} When an option is unknown or has a wrong value.
 */
export function callOf<Row extends Operation = ControlRow>(options: ClientOptions): Call<Row> {
  clientOptions.check(options)
  const { url, token, world, fetch: send = globalThis.fetch } = options
  const root = `${new URL(url).origin}/_emulator`
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (world !== undefined) headers['svtrain-world'] = world

  /** Also the content may break off. */
  const exchange = async ({ path, ...request }: PlainRequest) => {
    try {
      const response = await send(root + path, { ...request, headers })
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
    } catch (error) {
      throw new UnreachableError(root, { cause: error })
    }
  }

  const call = async (route: string, sent?: object): Promise<unknown> => {
    const request = requestOf(route, sent)
    const { response, bytes } = await exchange(request)
    const { ok, status } = response
    const isOurs = response.headers.has(EMULATOR_HEADER) || !(await isStranger(root, send))
    const type = response.headers.get('content-type') ?? ''
    if (isOurs && ok && type.includes('octet')) return bytes
    const text = new TextDecoder().decode(bytes)
    if (!isOurs) {
      const { note } = Object(valueOf(text)) as { note?: unknown }
      const says = typeof note === 'string' ? `, and says: "${shortened(note, 200)}"` : ''
      const found = `Another server answers there, with status ${status}${says}. The training API of an emulator is at an address such as http://127.0.0.1:4600/v1.`
      throw new UnreachableError(root, { found })
    }
    if (ok && !type.includes('json')) return text
    const answer = valueOf(text)
    if (ok && answer !== undefined) return answer
    const { detail } = Object(answer) as { detail?: unknown }
    const said = typeof detail === 'string' ? detail : shortened(text, 200)
    throw new ControlError(`${request.method} /_emulator${request.path}`, status, said)
  }
  return call as Call<Row>
}

/** Whether another server answers. Emulators before 0.3 do not mark their answers. One that has just closed answers nothing. */
async function isStranger(root: string, send: typeof globalThis.fetch): Promise<boolean> {
  const text = await send(`${root}/info`)
    .then((answer) => answer.text())
    .catch(() => undefined)
  if (text === undefined) return false
  const { name } = Object(valueOf(text)) as { name?: unknown }
  return name !== 'svtrain-emulator'
}

/** The value of a JSON text. Undefined if it is none: something else than an emulator answered. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
