import { REPORT_DATA, WRITTEN_BY } from '../../base/text/evidence.js'
import { fieldsOf, textIn } from './exchanges.js'
import { RecordingError } from './recording-error.js'

const END = '</script>'

const AGAIN =
  'Write the report again, or use the HAR file of the same run: `report --har requests.har`.'
const CUT_OFF = `is a report that is cut off or changed. ${AGAIN}`

/** What the page of a report has for programs. */
interface ReportData {
  readonly har: unknown
  /** The command that runs the same again. Undefined if there is none, and in pages of earlier versions. */
  readonly reproduce: string | undefined
}

/**
 * Returns what the page of a report has for programs. Pages of earlier versions have the HAR, too.
 *
 * @throws {RecordingError} When the page has no HAR.
 */
export function dataInReport(page: string, file: string): ReportData {
  const written = textBetween(page, WRITTEN_BY, '"')
  if (written === undefined) {
    throw new RecordingError(
      `"${file}" is a page, but no report of svtrain-emulator. Save the calls as a HAR file, and give that.`,
    )
  }
  const data = textBetween(page, REPORT_DATA, END)
  if (data === undefined) {
    if (!page.includes('</html>')) throw new RecordingError(`"${file}" ${CUT_OFF}`)
    throw new RecordingError(
      `"${file}" is a page of svtrain-emulator ${written} without the data of its requests. Reports of version 0.2 have none, and neither have very long ones and those of explore. ${AGAIN}`,
    )
  }
  try {
    const har = JSON.parse(data) as unknown
    const { _svtrain: run } = fieldsOf(fieldsOf(har)['log'])
    return { har, reproduce: textIn(fieldsOf(run)['reproduce']) }
  } catch (error) {
    throw new RecordingError(`"${file}" ${CUT_OFF}`, { cause: error })
  }
}

/** The text after the first `start`, up to the next `end`, if it has one. Undefined without a start. */
function textBetween(text: string, start: string, end: string): string | undefined {
  const at = text.indexOf(start)
  return at === -1 ? undefined : text.slice(at + start.length).split(end, 1)[0]
}
