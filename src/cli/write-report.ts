import type { Har, HarOptions, ReportOptions } from '../emulator/report-options.js'
import { printable, printableJson } from './terminal.js'
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

/** Writes the page and the HAR file, each if it is wanted. Folders are created. */
export async function* writeReports(
  from: ReportSource,
  { report, har }: ReportFiles,
  options: ReportOptions,
): AsyncGenerator<{ text: string; failed: boolean }> {
  const { contents } = options
  if (report !== undefined) yield writeReportFile('report', report, () => from.report(options))
  if (har !== undefined) {
    yield writeReportFile(
      'HAR file',
      har,
      async () => `${printableJson(await from.har({ contents }), 1)}\n`,
    )
  }
}

async function writeReportFile(what: string, file: string, text: () => Promise<string>) {
  const { problem, also } = await writeInFolder(file, await text())
  if (problem !== undefined) {
    return { text: `Failed to write the ${what} to ${printable(file)}: ${problem}`, failed: true }
  }
  return { text: `Wrote the ${what} to ${printable(file)}.${also}`, failed: false }
}
