import { RecordingError } from './recording-error.js'

/**
 * How the page of a report begins its data, and ends it: `tools/report/page-data.ts` writes it. Pages of earlier
 * versions have it, too.
 */
const START = /<script type="application\/json" id="svtrain-har">/
const END = '</script>'
/** The version that wrote a page: `tools/report/page.ts` writes it. */
const GENERATOR = /<meta name="generator" content="svtrain-emulator ([^"]*)">/

const AGAIN =
  'Write the report again, or use the HAR file of the same run: `report --har requests.har`.'
const CUT_OFF = `is a report that is cut off or changed. ${AGAIN}`

/**
 * Returns the HAR in the page of a report.
 *
 * @throws {RecordingError} When the page has none.
 */
export function harInReport(page: string, file: string): unknown {
  const written = GENERATOR.exec(page)?.[1]
  if (written === undefined) {
    throw new RecordingError(
      `"${file}" is a page, but no report of svtrain-emulator. Save the calls as a HAR file, and give that.`,
    )
  }
  const start = START.exec(page)
  if (!start) {
    if (!page.includes('</html>')) throw new RecordingError(`"${file}" ${CUT_OFF}`)
    throw new RecordingError(
      `"${file}" is a page of svtrain-emulator ${written} without the data of its requests. Reports of version 0.2 have none, and neither have very long ones and those of explore. ${AGAIN}`,
    )
  }
  const from = start.index + start[0].length
  const to = page.indexOf(END, from)
  try {
    return JSON.parse(page.slice(from, to === -1 ? undefined : to)) as unknown
  } catch (error) {
    throw new RecordingError(`"${file}" ${CUT_OFF}`, { cause: error })
  }
}
