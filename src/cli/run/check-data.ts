import { createReadStream } from 'node:fs'
import { wallNow } from '../../base/clock/wall.js'
import { TRAINING_DATA } from '../../base/text/evidence.js'
import { NotTextError, textLinesOf } from '../../base/text/text-lines.js'
import { knownFileAt } from '../../emulator/adapters/known-file.js'
import {
  checkTrainingFile,
  type FileCheckSettings,
} from '../../emulator/testing/training-file/check-file.js'
import { isBad } from '../../emulator/testing/training-file/file-report.js'
import { fileCheckNames } from '../../service/scenario/check-names.js'
import { whyUnreadable } from '../../service/scenario/why-unreadable.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { checkData } from '../commands/check-data.js'
import type { JunitSuite } from '../failure/junit.js'
import { dataSuite } from '../failure/training-file.js'
import { trainingFileJson, trainingFileLines } from '../report/training-file-lines.js'
import { printable, printableJson } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { writeJunit } from '../write-junit.js'

/** Checks a file of training data. */
export const runCommand: Run<typeof checkData> = async (args, { terminal }) => {
  const start = wallNow()
  const settings = settingsIn(args)
  const known = knownFileAt(args.file)
  if (known && known.what !== TRAINING_DATA) {
    throw new UsageError(`${args.file} is ${known.what}, not training data. ${known.toDo}.`)
  }
  // Other characters would need quotes in a command.
  const name = /^[\w./-]+(?=\.parquet$)/.exec(args.file)?.[0]
  const lines = textLinesOf(args.file === '-' ? process.stdin : createReadStream(args.file), name)
  const report = await readable(args.file, () => checkTrainingFile(lines, settings))
  const file = args.file === '-' ? 'stdin' : args.file
  if (args.json) terminal.write(printableJson(trainingFileJson(file, report), 2))
  else trainingFileLines(file, report, terminal).forEach(terminal.write)
  const suite = (): JunitSuite => ({ ...dataSuite(file, report), took: wallNow() - start })
  await writeJunit(args.junit, suite, terminal)
  return isBad(report) ? 1 : 0
}

function settingsIn({ check = [] }: ArgumentsOf<typeof checkData>): FileCheckSettings {
  const settings = check.flatMap(({ name, setting }) => {
    const names = name === 'all' ? fileCheckNames : [name]
    return names.map((each) => [each, setting] as const)
  })
  return Object.fromEntries(settings)
}

/** @throws {UsageError} When the work fails with an error of the file system. */
async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NotTextError) {
      throw new UsageError(`Failed to read ${printable(file)}: ${error.message}`)
    }
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof UsageError || code === undefined) throw error
    throw new UsageError(printable(`Failed to read ${file}: ${whyUnreadable(file, error)}`))
  }
}
