import type { Har } from '../emulator/har.js'
import type { HarOptions, ReportOptions } from '../emulator/report-options.js'
import { printableJson, type Terminal } from './terminal.js'
import { writeInFolder } from './write-in-folder.js'

/** Where reports come from: an emulator, or a client of one. */
interface ReportSource {
  report: (options: ReportOptions) => Promise<string>
  har: (options: HarOptions) => Promise<Har>
}

/** The files to write. */
export interface ReportFiles {
  report?: string | undefined
  har?: string | undefined
}

/** Writes the page and the HAR file, each if it is wanted. Returns whether all were written. */
export async function writeReports(
  from: ReportSource,
  { report, har }: ReportFiles,
  options: ReportOptions & Pick<Terminal, 'write' | 'writeError'>,
): Promise<boolean> {
  const { write, writeError, ...wanted } = options
  const terminal = { write, writeError }
  let isFine = true
  if (report !== undefined) {
    const text = await from.report(wanted)
    isFine = await writeInFolder(report, { what: 'the report', text }, terminal)
  }
  if (har === undefined) return isFine
  const text = `${printableJson(await from.har({ contents: wanted.contents }), 1)}\n`
  return (await writeInFolder(har, { what: 'the HAR file', text }, terminal)) && isFine
}
