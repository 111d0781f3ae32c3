import type { Info } from '../../emulator/control/schemas/info.js'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'

/** The variable of the shell that holds the key. `svtrain-emulator` prints it, too. */
export const KEY_VARIABLE = 'SVTRAIN_API_KEY'

/** What curl sends by itself, or what belongs to one connection. */
const LEFT_OUT =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|cookie|sec-.*)$/

/** The same request as a command of a shell, with a variable in the place of the key. */
export function curlOf(detail: RequestDetail, info: Info): string {
  const { method, request } = detail
  const parts = [...methodOf(method, request.body !== null), quoted(urlOf(detail, info))]
  const lines = [`curl ${parts.join(' ')}`]
  for (const [name, value] of Object.entries(request.headers)) {
    const known = LEFT_OUT.test(name) || (name === 'accept' && value === '*/*')
    if (!known) lines.push(`-H ${headerOf(name, value)}`)
  }
  if (request.body !== null) lines.push(`--data-raw ${quoted(request.body)}`)
  return `${lines.join(' \\\n  ')}\n`
}

/** The whole address of a request. */
export function urlOf(
  { host, path, query }: Pick<RequestDetail, 'host' | 'path' | 'query'>,
  info: Info,
): string {
  const { origin } = new URL(host === 'inference' ? info.inference_url : info.training_url)
  return `${origin}${path}${query && `?${query}`}`
}

function methodOf(method: string, body: boolean): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (body ? 'POST' : 'GET') ? [] : [`-X ${method}`]
}

/** What a header with a credential shows in its place. */
const HIDDEN = '[not shown]'

function headerOf(name: string, value: string): string {
  if (!value.includes(HIDDEN)) return quoted(`${name}: ${value}`)
  const [before = '', after = ''] = value.split(HIDDEN)
  // Only the variable is outside of the single quotes.
  return `${quoted(`${name}: ${before}`)}"$${KEY_VARIABLE}"${after && quoted(after)}`
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
