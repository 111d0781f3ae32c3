import { createReadStream } from 'node:fs'
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
  const lines = linesOf(args.file === '-' ? process.stdin : bytesOf(args.file))
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

/**
 * The bytes of a file, which may be a pipe.
 *
 * @throws {UsageError} When it is not text.
 */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  let isStart = true
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    if (isStart && chunk.toString('latin1', 0, PARQUET.length) === PARQUET) {
      throw new UsageError(
        `${printable(file)} is a Parquet file, and check-data takes JSON Lines. DuckDB converts it: duckdb -c "COPY (FROM '${printable(file)}') TO 'rows.jsonl' (FORMAT json)".`,
      )
    }
    isStart = false
    yield chunk
  }
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
