import type { Emulator } from '../../emulator/emulator.js'
import type { HarEntry, HarRun } from '../../emulator/har.js'
import type { ReportContents } from '../../emulator/report-options.js'
import { harOf } from './har.js'
import { REPORT_DATA } from '../../base/text/evidence.js'
import { escapeInvisible } from '../../base/text/escape.js'
import { Html } from './markup.js'

/** The most characters of data on a page. */
const MOST_DATA = 4_000_000

/** The longest body, tried in this order until the data is small enough. The answers about jobs are the shortest. */
const LONGEST_BODIES = [Infinity, 10_000, 1000]

/**
 * Writes the requests of all worlds for programs: the parts of the HAR file that `scenarios from` reads, and the
 * command that runs the same again. Keys and secrets are not in it, and neither are contents if the page has none.
 * Browsers do not run it. Undefined if there is too much of it.
 */
export function pageData(
  emulator: Emulator,
  { contents, reproduce }: { contents: ReportContents; reproduce: string | undefined },
): Html | undefined {
  const { version, creator, comment, entries, _svtrain } = harOf(emulator, { contents }).log
  const run = { ...withinHalf(_svtrain), reproduce }
  for (const longest of LONGEST_BODIES) {
    const calls = entries.map((entry) => callOf(entry, longest))
    const text = safeJson({ log: { version, creator, comment, entries: calls, _svtrain: run } })
    if (text.length > MOST_DATA) continue
    return new Html(`${REPORT_DATA}${text}</script>`)
  }
  return undefined
}

/** Writes JSON as a page can have it: `<` could end its element. */
function safeJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value).replaceAll('<', String.raw`\u003c`))
}

/** Leaves out the oldest jobs until the others need at most half of the room. */
function withinHalf(run: HarRun): HarRun {
  const { jobs, jobs_left_out } = run
  let size = 0
  const from =
    1 +
    jobs.findLastIndex((job) => {
      size += safeJson(job).length
      return size > MOST_DATA / 2
    })
  return { ...run, jobs: jobs.slice(from), jobs_left_out: jobs_left_out + from }
}

function callOf({ startedDateTime, time, request, response, _svtrain }: HarEntry, longest: number) {
  const { method, url, postData } = request
  const { status, headers, content } = response
  const { id, world, lost, answered_at, faults } = _svtrain
  return {
    startedDateTime,
    time,
    request: { method, url, postData: postData && shortBody(postData, longest) },
    response: { status, headers, content: shortBody(content, longest) },
    _svtrain: { id, world, lost, answered_at, faults },
  }
}

function shortBody<Body extends { text: string }>(body: Body, longest: number): Body {
  if (body.text.length <= longest) return body
  return { ...body, text: '', comment: 'The body is too long to be kept on the page.' }
}
