import { ReplaySender, type ReplayAnswer } from '../../emulator/adapters/replay-send.js'
import { wallNow } from '../../base/clock/wall.js'
import { counted } from '../../base/text/counted.js'
import { milliseconds } from '../../base/text/duration.js'
import { Redactor, type Redact } from '../../base/text/redaction/redact.js'
import { secretsInUrl, withoutCredentials } from '../../base/text/redaction/credentials.js'
import { matchesFilters, readFilter } from '../../webhooks/sink/delivery-filter.js'
import {
  headersAgain,
  readDeliveries,
  ReplayError,
  type RecordedDelivery,
} from '../../webhooks/sink/replay.js'
import { answerInOneLine } from '../../webhooks/sending/transport.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { sinkReplay } from '../commands/sink-replay.js'
import { shellWord } from '../shell-word.js'
import { printable, printableJson } from '../terminal.js'
import { assertGiven, UsageError } from '../usage-error.js'
import { readBytes } from './input.js'

type Arguments = ArgumentsOf<typeof sinkReplay>

interface PlannedDelivery {
  readonly delivery: RecordedDelivery
  readonly headers: Readonly<Record<string, string>>
}

/** Sends recorded deliveries again, one after the other. */
export const runCommand: Run<typeof sinkReplay> = async (args, { terminal, program }) => {
  const { file, to, timeout = '10s' } = args
  assertGiven(to, 'sink replay takes the URL of --to')
  const { write, writeError, paint } = terminal
  // Everything is read and signed before the first delivery, so that a mistake sends nothing.
  const { planned, all } = await plan(args)
  const inFile = counted(all, 'delivery', 'deliveries')
  const shownUrl = withoutCredentials(to)
  if (planned.length === 0) {
    const why = all === 0 ? `${file} has no delivery` : `None of ${inFile} matches`
    writeError(printable(`${why}. Nothing was sent.`))
    return 1
  }
  if (!args.json) write(printable(`Sending ${planned.length} of ${inFile} to ${shownUrl}`))
  const own = [args.resign, args.token].filter((each) => each !== undefined)
  const redactor = new Redactor({ secrets: [...own, ...secretsInUrl(to)] })
  const sender = new ReplaySender(to, milliseconds(timeout))
  const results: Result[] = []
  for (const each of planned) {
    const answer = await sender.send(each)
    const result = resultOf(each.delivery, answer, (text, about) => redactor.redact(text, about))
    results.push(result)
    if (args.json) continue
    const line = printable(lineOf(result))
    write(result.acknowledged ? line : paint('red', line))
  }
  const fine = results.filter(({ acknowledged }) => acknowledged).length
  if (args.json) write(printableJson(results, 2))
  else {
    write(`${fine} acknowledged, ${results.length - fine} not`)
    const url = printable(shellWord(shownUrl))
    const isThere = results.some(({ status }) => status !== undefined)
    const next = isThere
      ? `Next, what else it must survive: ${program} check-receiver ${url} --secret <its secret>`
      : 'Nothing answered: start the receiver, or correct the URL.'
    write(next)
  }
  return fine === results.length ? 0 : 1
}

/** Reads the file and prepares what is sent. */
async function plan(args: Arguments): Promise<{ planned: PlannedDelivery[]; all: number }> {
  const { file, filter = [], resign, header, token, encoding, prefix } = args
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(file))
  try {
    const filters = filter.map(readFilter)
    const all = readDeliveries(text, file === '-' ? 'stdin' : file)
    const moment = new Date(wallNow())
    const resigning =
      resign === undefined ? undefined : { secret: resign, moment, encoding, prefix }
    const planned: PlannedDelivery[] = []
    for (const delivery of all.filter((each) => matchesFilters(each, filters))) {
      const headers = await headersAgain(delivery, { resign: resigning, header, token })
      planned.push({ delivery, headers })
    }
    return { planned, all: all.length }
  } catch (error) {
    if (error instanceof ReplayError) throw new UsageError(printable(error.message))
    throw error
  }
}

interface Result {
  readonly record: string
  readonly event: string | undefined
  readonly acknowledged: boolean
  /** The status of the answer. Undefined: there was none. */
  readonly status: number | undefined
  /** Why it is not acknowledged: the beginning of the answer, or an error. */
  readonly detail: string | undefined
  /** In milliseconds. */
  readonly took: number
}

function resultOf(
  { id, event }: RecordedDelivery,
  { status, text, took }: ReplayAnswer,
  redact: Redact,
): Result {
  const acknowledged = status !== undefined && status >= 200 && status < 300
  const detail = acknowledged ? undefined : answerInOneLine(text, redact)
  return { record: id, event, acknowledged, status, detail, took }
}

function lineOf({ record, event, status, detail }: Result): string {
  const name = event === undefined ? '' : `, ${event}`
  const why = detail === undefined || detail === '' ? '' : ` (${detail})`
  return `${record}${name}: ${status ?? 'no answer'}${why}`
}
