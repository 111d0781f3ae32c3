import { milliseconds } from '../../world/duration.js'
import { checkReceiver as check, type RuleResult } from '../../webhooks/check-receiver.js'
import type { Paint } from '../paint.js'
import { printable } from '../printable.js'
import { UsageError } from '../usage-error.js'
import { anyText, duration, toggle, webUrl } from '../values.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { json } from './json-flag.js'
import { readBytes } from './read-bytes.js'
import { form, header, secret, token } from './signature-flags.js'

const checkFlags = {
  secret,
  token,
  header,
  ...form,
  standard: {
    describe: 'Sign as Standard Webhooks has it, with a time; the secret is whsec_…',
    value: toggle,
  },
  payload: { describe: 'File with the JSON object to send', value: anyText('a file') },
  within: {
    describe: 'How long an answer may take',
    value: duration,
    defaultText: '10s',
  },
  json,
} as const

export const checkReceiver: Run = async (called, { write, paint }) => {
  const read = await readArguments(called, { flags: checkFlags, takes: 'a URL' })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { secret: key, payload, within = '10s', json: asJson, ...rest } = read.flags
  const url = webUrl.read(read.positionals[0]!)
  if (url === undefined) {
    throw new UsageError(`check-receiver takes ${webUrl.takes}, not "${read.positionals[0]}".`)
  }
  if (key === undefined) throw new UsageError('check-receiver takes a --secret; none was given.')
  assertKey(key, rest.standard)
  const results = await check({
    ...rest,
    url,
    secret: key,
    payload: payload === undefined ? undefined : await readPayload(payload),
    within: milliseconds(within),
  })
  write(asJson ? JSON.stringify(results, null, 2) : textOf(results, paint))
  return results.some(({ result }) => result === 'fail') ? 1 : 0
}

function assertKey(secretText: string, standard: boolean | undefined): void {
  if (
    !standard ||
    /^(?:whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secretText)
  ) {
    return
  }
  throw new UsageError('With --standard, --secret takes base64, with or without whsec_ before it.')
}

async function readPayload(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = new TextDecoder().decode(await readBytes(file))
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {
    // Told below: in either case it is no object.
  }
  throw new UsageError(`--payload takes a file with a JSON object; ${file} holds none.`)
}

const COLOURS = { pass: 'green', fail: 'red', skipped: 'gray' } as const

function textOf(results: readonly RuleResult[], paint: Paint): string {
  const lines = results.map(({ rule, result, detail }) => {
    const why = detail === undefined ? '' : ` (${printable(detail)})`
    return `${paint(COLOURS[result], result.padEnd(7))} ${rule}${why}`
  })
  const count = (wanted: string): number => results.filter((each) => each.result === wanted).length
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`
  return [...lines, `${count('pass')} passed, ${count('fail')} failed${skipped}`].join('\n')
}
