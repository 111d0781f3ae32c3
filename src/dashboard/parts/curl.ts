import type { Info } from '../../emulator/control/schemas/info.js'
import type { HiddenText, RequestDetail } from '../../emulator/control/schemas/requests.js'

/** The variable of the shell that holds the key. `svtrain-emulator` prints it, too. */
export const KEY_VARIABLE = 'SVTRAIN_API_KEY'

/** The variable, outside of the single quotes of other texts. */
const KEY = `"$${KEY_VARIABLE}"`

/** What curl sends by itself, or what belongs to one connection. */
const LEFT_OUT =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|cookie|sec-.*)$/

/** The same request as a command of a shell, with a variable in the place of the key. */
export function curlOf(detail: RequestDetail, info: Info): string {
  const { method, request } = detail
  // What is hidden in an address is the only text of it that has spaces, which curl refuses.
  const url = urlOf(detail, info).replaceAll(' ', '%20')
  // Otherwise, curl takes brackets and braces for a list of addresses.
  const globbing = /[[\]{}]/.test(url) ? ['-g'] : []
  const parts = [...globbing, ...methodOf(method, request.body !== null), quoted(url)]
  const lines = [`curl ${parts.join(' ')}`]
  for (const [name, value] of Object.entries(request.headers)) {
    const known = LEFT_OUT.test(name) || (name === 'accept' && value === '*/*')
    if (!known) lines.push(headerOf(name, value))
  }
  // Without a type, curl would send that of a form.
  const isTyped = request.body === null || 'content-type' in request.headers
  if (!isTyped) lines.push(`-H 'content-type:'`)
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

/** The page has no code of the emulator, so the type compares them. */
const HIDDEN: HiddenText = '[not shown]'

/** A header as an option of curl. Only the authorization of a call is known to have the key. */
function headerOf(name: string, value: string): string {
  // With a colon and nothing after it, curl leaves a header out.
  if (value === '') return `-H ${quoted(`${name};`)}`
  const [scheme, ...others] = value.split(HIDDEN)
  if (name !== 'authorization' || others.length === 0) return `-H ${quoted(`${name}: ${value}`)}`
  // The key is the password there, and the name does not matter.
  if (/^basic /i.test(value)) return `-u ${quoted('api:')}${KEY}`
  return `-H ${[`${name}: ${scheme}`, ...others].map((part) => part && quoted(part)).join(KEY)}`
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
