import { string } from '../../contract/pydantic/scalars.js'
import { parameters } from '../../contract/pydantic/parameters.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { STREAMED_FILES, WRITER_HEADERS } from '../../../base/text/vendor/platform-names.js'
import { shown } from '../../../base/text/shown.js'
import { quoteNotFinite } from '../../platform/not-finite.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import type { RunLog, WrittenLines } from '../../platform/run-log.js'
import { mayUse } from '../ownership.js'
import { FILES_PATH } from './paths.js'
import { refusableRow } from './platform-row.js'

export const streamRun = refusableRow({
  id: 'streamRun',
  method: 'POST',
  path: `${FILES_PATH}/{entity}/{project}/{run}/file_stream`,
  name: 'file_stream',
  summary: 'Metrics, output and state of a run',
  auth: 'platform',
  params: parameters('path', { entity: string, project: string, run: string }),
  readsBody: 'compressed-json',
  run(call) {
    const { entity, project, run: name } = call.params
    if (!mayUse(call, entity)) {
      const path = quoted(`${entity}/${project}/${name}`)
      throw new PlatformError('not-found', `There is no run ${path}.`)
    }
    const { runs } = call.engine.platformWithCheckpoints()
    const run = runs.get({ entity, project, name })
    const writer = call.request.headers[WRITER_HEADERS.stream]
    const log = { ...runLogIn(call.json.value), writer }
    runs.log(run, log, { user: call.account.user, cause: call.entry.id })
    return { exitcode: null, limits: {}, ...(run.stopping && { stopped: true }) }
  },
})

/** What a program sends about its run. */
function runLogIn(json: unknown): RunLog {
  if (!isRecord(json)) {
    throw new PlatformError('invalid', 'The body is not a JSON object, such as {"files": {}}.')
  }
  const { files, preempting, complete, exitcode } = json
  const { history, events, output, summary } = streamsIn(files ?? {})
  return {
    history,
    events,
    output,
    summary: summary?.lines.at(-1),
    preempting: preempting === true,
    complete: complete === true,
    exitCode: exitCodeIn(exitcode),
  }
}

function exitCodeIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new PlatformError('invalid', `The exitcode is ${shown(value)}; expected a whole number.`)
}

type Streams = { [Stream in (typeof STREAMED_FILES)[keyof typeof STREAMED_FILES]]?: WrittenLines }

function streamsIn(files: unknown): Streams {
  if (!isRecord(files)) {
    throw new PlatformError('invalid', 'The files are not a JSON object, such as {}.')
  }
  const streams: Streams = {}
  // Files of other names are output of the system, which nobody reads back.
  for (const [name, stream] of Object.entries(STREAMED_FILES)) {
    if (files[name] === undefined) continue
    const { offset, lines } = linesIn(name, files[name])
    streams[stream] = { offset, lines: stream === 'output' ? lines : lines.map(quoteNotFinite) }
  }
  return streams
}

function linesIn(name: string, chunk: unknown): WrittenLines {
  if (isRecord(chunk)) {
    const { offset = 0, content = [] } = chunk
    const isLines = Array.isArray(content) && content.every((line) => typeof line === 'string')
    if (isLines && typeof offset === 'number') return { offset, lines: content }
  }
  throw new PlatformError(
    'invalid',
    `The chunk of ${quoted(name)} is not an offset and a list of lines, such as {"offset": 0, "content": ["{}"]}.`,
  )
}
