import { parseJson } from '../../base/text/json-text.js'
import { wallNow } from '../../base/clock/wall.js'
import { milliseconds } from '../../base/text/duration.js'
import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { checkReceiver as check, planOf } from '../../webhooks/sending/check-receiver.js'
import type { ReceiverCheck } from '../../webhooks/sending/receiver-caller.js'
import { EVENTS_OF_A_COUNT } from '../../webhooks/sending/count-events.js'
import { TEST_HEADER, type RuleResult } from '../../webhooks/sending/receiver-battery.js'
import type { JunitSuite } from '../failure/junit.js'
import { type Output, printable, printableJson } from '../terminal.js'
import { cut, wrapped } from '../text-width.js'
import { assertGiven, UsageError } from '../usage-error.js'
import { writeJunit } from '../write-junit.js'
import type { Run } from '../command.js'
import { isBase64, isStandardSecret } from '../../base/text/webhook-secret.js'
import type { checkReceiver } from '../commands/check-receiver.js'
import { eventsIn, readCount } from './count-source.js'
import { readBytes } from './input.js'
import { withRunning } from './running-emulator.js'

export const runCommand: Run<typeof checkReceiver> = async (args, { terminal }) => {
  const { write, writeError } = terminal
  const { secret: key, payload, timeout = '10s', 'count-url': countUrl, emulator, model } = args
  const within = milliseconds(timeout)
  assertGiven(key, 'check-receiver takes a --secret')
  assertKey(key, args.standard)
  if (emulator !== undefined && countUrl === undefined) {
    throw new UsageError('--emulator needs --count-url, which was not given.')
  }
  if (model !== undefined && emulator === undefined) {
    throw new UsageError('--model needs --emulator, which was not given.')
  }
  const checked: ReceiverCheck = {
    url: args.url,
    secret: key,
    token: args.token,
    header: args.header,
    encoding: args.encoding,
    prefix: args.prefix,
    standard: args.standard,
    payload: payload === undefined ? undefined : await readPayload(payload),
    within,
    count: countUrl === undefined ? undefined : () => readCount(countUrl, within),
    events: emulator === undefined ? undefined : eventsIn(emulator, model),
  }
  if (emulator !== undefined) {
    // Before the deliveries: without the emulator, the count would say nothing.
    const unreachable = await withRunning({ emulator }, terminal, async (client) => {
      await client.info()
      return 0
    })
    if (unreachable !== 0) return unreachable
  }
  // On stderr, because stdout may be JSON.
  const longest = Math.min(LONGEST, (terminal.errors.columns?.() ?? Infinity) - 'Payload: '.length)
  warningsOf(checked, longest).forEach((line) => writeError(printable(line)))
  const start = wallNow()
  const results = await check(checked)
  if (args.json) write(printableJson(results, 2))
  else linesOf(results, terminal).forEach(write)
  await writeJunit(args.junit, () => suiteOf(args.url, results, wallNow() - start), terminal)
  return results.some(({ result }) => result === 'fail') ? 1 : 0
}

function suiteOf(url: string, results: readonly RuleResult[], took: number): JunitSuite {
  return {
    name: 'svtrain-emulator check-receiver',
    properties: { url: withoutCredentials(url) },
    took,
    cases: results.map(({ id, rule, result, detail = '', hint = '' }) => {
      const name = `${id}: ${rule}`
      if (result === 'pass') return { name }
      if (result === 'skipped') return { name, skipped: detail }
      const reason = [detail, hint].filter((line) => line !== '').join('\n')
      return { name, failure: { title: detail === '' ? rule : detail, kind: id, reason } }
    }),
  }
}

/** Describes the deliveries before they are sent, because the receiver acts on them. */
function warningsOf(checked: ReceiverCheck, longest: number): string[] {
  const { deliveries, searched, valid, payload } = planOf(checked)
  return [
    `Sending up to ${deliveries} test deliveries to ${withoutCredentials(checked.url)}. ${valid} of them are valid: your receiver will act on these.`,
    `Payload: ${cut(JSON.stringify(payload), longest)}`,
    `Each has the header ${TEST_HEADER}: true. Use --payload <file> to send another payload. If your receiver refuses a valid one, up to ${searched} more follow, to find out what it accepts.`,
    ...(checked.events
      ? [`Besides, ${EVENTS_OF_A_COUNT} jobs run in the emulator, whose deliveries are real ones.`]
      : []),
  ]
}

const LONGEST = 200

function assertKey(secretText: string, standard: boolean | undefined): void {
  if (!standard || isBase64(secretText) || isStandardSecret(secretText)) return
  throw new UsageError('With --standard, --secret takes base64, with or without whsec_ before it.')
}

async function readPayload(file: string): Promise<Readonly<Record<string, unknown>>> {
  const value = parseJson(new TextDecoder().decode(await readBytes(file)))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new UsageError(
    `--payload takes a file with a JSON object; ${file} contains something else.`,
  )
}

/** Combines consecutive rules that were skipped for the same reason. */
function withoutRepeats(results: readonly RuleResult[]): RuleResult[] {
  const runs: RuleResult[][] = []
  for (const each of results) {
    const before = runs.at(-1)?.[0]
    const repeats = each.result === 'skipped' && before?.result === 'skipped'
    if (repeats && before.detail === each.detail) runs.at(-1)!.push(each)
    else runs.push([each])
  }
  return runs.map((run) => {
    return run.length === 1 ? run[0]! : { ...run[0]!, rule: `${run.length} more rules` }
  })
}

const COLORS = { pass: 'green', fail: 'red', skipped: 'gray' } as const

function linesOf(results: readonly RuleResult[], { paint, columns }: Output): string[] {
  const lines = withoutRepeats(results).flatMap(({ rule, result, detail, hint }) => {
    const why = detail === undefined ? '' : ` (${printable(detail)})`
    const line = `${paint(COLORS[result], result.padEnd(7))} ${rule}${why}`
    const below = hint === undefined ? [] : [`        ${printable(hint)}`]
    return [line, ...below].flatMap((each) => wrapped(each, columns?.(), 8))
  })
  const count = (wanted: string): number => results.filter((each) => each.result === wanted).length
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`
  return [...lines, `${count('pass')} passed, ${count('fail')} failed${skipped}`]
}
