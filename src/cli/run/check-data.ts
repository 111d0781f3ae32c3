import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { wallNow } from '../../base/clock/wall.js'
import { linesOf } from '../../base/text/lines.js'
import {
  checkTrainingFile,
  isBad,
  type FileCheckSettings,
} from '../../emulator/testing/training-file/check-file.js'
import { fileCheckNames } from '../../service/scenario/check-names.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { checkData } from '../commands/check-data.js'
import { dataSuite } from '../failure/training-file.js'
import { trainingFileJson, trainingFileLines } from '../report/training-file-lines.js'
import { printable } from '../terminal.js'
import { UsageError } from '../usage-error.js'

/** Checks a file of training data. */
export const runCommand: Run<typeof checkData> = async (args, { terminal }) => {
  const start = wallNow()
  const settings = settingsIn(args)
  const lines = linesOf(await openFile(args.file))
  const report = await readable(args.file, () => checkTrainingFile(lines, settings))
  const file = args.file === '-' ? 'stdin' : args.file
  if (args.json) terminal.write(JSON.stringify(trainingFileJson(file, report), null, 2))
  else trainingFileLines(file, report, terminal).forEach(terminal.write)
  if (args.junit !== undefined) {
    const { writeJunit } = await import('../write-junit.js')
    const suite = { ...dataSuite(file, report), took: wallNow() - start }
    await writeJunit(args.junit, suite, terminal)
  }
  return isBad(report) ? 1 : 0
}

function settingsIn({ check = [] }: ArgumentsOf<typeof checkData>): FileCheckSettings {
  const settings = check.flatMap(({ name, setting }) => {
    const names = name === 'all' ? fileCheckNames : [name]
    return names.map((each) => [each, setting] as const)
  })
  return Object.fromEntries(settings)
}

const PARQUET = 'PAR1'

/** @throws {UsageError} When the file cannot be read, or is not text. */
async function openFile(file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return process.stdin
  return readable(file, async () => {
    const opened = await open(file)
    const start = Buffer.alloc(PARQUET.length)
    try {
      await opened.read(start, 0, PARQUET.length, 0)
    } finally {
      await opened.close()
    }
    if (start.toString('latin1') === PARQUET) {
      throw new UsageError(
        `${printable(file)} is a Parquet file, and check-data takes JSON Lines. DuckDB converts it: duckdb -c "COPY (FROM '${printable(file)}') TO 'rows.jsonl' (FORMAT json)".`,
      )
    }
    return createReadStream(file)
  })
}

/** @throws {UsageError} When the work fails with an error of the file system. */
async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof UsageError || code === undefined) throw error
    throw new UsageError(`Failed to read ${printable(file)}: ${message}.`)
  }
}
