import { readFile, writeFile } from 'node:fs/promises'
import type { Api } from '../../service/contract/exchange.js'
import { wallNow } from '../../base/clock/wall.js'
import { describeApi } from '../../service/api/openapi.js'
import { operationsIn } from '../../service/api/table.js'
import { NEWEST_CONTRACT } from '../../service/contract/versions.js'
import {
  parseAllowList,
  sortDifferences,
  updatedAllowList,
  type SortedDifferences,
} from '../../tools/drift/allow-list.js'
import { checkRecording, type RecordedDrift } from '../../tools/drift/check-recording.js'
import { compareDocuments, sharedOperations } from '../../tools/drift/compare-documents.js'
import { DriftError } from '../../tools/drift/document.js'
import { RecordingError } from '../../tools/recording/recording-error.js'
import { readRecording } from '../../tools/recording/read-recording.js'
import { readDocument } from '../../tools/drift/read-document.js'
import type { ArgumentsOf, Run } from '../command.js'
import type { drift } from '../commands/drift.js'
import { printable, type Terminal } from '../terminal.js'
import { UsageError } from '../usage-error.js'
import { driftSuite } from '../failure/drift.js'
import type { DriftReport } from '../../tools/drift/report.js'
import { driftLines } from '../report/drift-lines.js'

type Arguments = ArgumentsOf<typeof drift>

export const runCommand: Run<typeof drift> = async (args, { terminal }) => {
  const { document, recording, allow } = args
  if (document === undefined && recording === undefined) {
    throw new UsageError('drift takes a document or --recording; none was given.')
  }
  if (args['update-allow'] && allow === undefined) {
    throw new UsageError('--update-allow takes the file of --allow; none was given.')
  }
  const start = wallNow()
  const writeSuite = async (result: Parameters<typeof driftSuite>[0]): Promise<void> => {
    if (args.junit === undefined) return
    const { writeJunit } = await import('../write-junit.js')
    await writeJunit(args.junit, { ...driftSuite(result), took: wallNow() - start }, terminal)
  }
  try {
    const report = await compare(args, terminal)
    await writeSuite({ report, accepted: args['update-allow'] === true })
    if (args['update-allow']) return 0
    return report.differences.some(({ allowed }) => allowed === undefined) ? 1 : 0
  } catch (error) {
    if (error instanceof DriftError || error instanceof RecordingError) {
      await writeSuite({ error })
      throw new UsageError(printable(error.message))
    }
    throw error
  }
}

async function compare(args: Arguments, terminal: Terminal): Promise<DriftReport> {
  const { document, allow, recording } = args
  const compared = document === undefined ? undefined : await compareDocument(document, args)
  const recorded = recording === undefined ? undefined : await checkRecorded(recording, args)
  const every = [...(compared?.differences ?? []), ...(recorded?.differences ?? [])]
  const text = await readAllowList(allow, args['update-allow'] === true)
  const entries = allow === undefined ? [] : await parseAllowList(text, allow)
  const parts = { document: document !== undefined, recording: recording !== undefined }
  const { differences, stale } = sortDifferences(every, entries, parts)
  const sorted: SortedDifferences = {
    differences: differences.filter(({ severity }) => args.all === true || severity !== 'cosmetic'),
    // An entry may allow a difference that is not shown.
    stale,
  }
  const report: DriftReport = { ...sorted, compared, recorded }
  if (args.json) terminal.write(jsonOf(report))
  else driftLines(report, terminal).forEach(terminal.write)
  if (args['update-allow']) {
    await writeAllowList(allow!, await updatedAllowList(text, allow!, sorted))
    if (!args.json) terminal.write(`Wrote ${printable(allow!)}.`)
  }
  return report
}

async function checkRecorded(folder: string, args: Arguments): Promise<RecordedDrift> {
  const recording = await readRecording(folder)
  return checkRecording(recording, {
    training: ownDocument('training', args),
    inference: ownDocument('inference', args),
  })
}

async function compareDocument(source: string, args: Arguments): Promise<DriftReport['compared']> {
  const { document: theirs, label } = await readDocument(source)
  const documents = (['training', 'inference'] as const).map((api) => ({
    api,
    ours: ownDocument(api, args),
  }))
  const shared = ({ ours }: { ours: object }): number =>
    sharedOperations(theirs, ours as Readonly<Record<string, unknown>>, label)
  const [training, inference] = documents as [ApiDescription, ApiDescription]
  const isInference = args.inference ?? shared(inference) > shared(training)
  const { api, ours } = isInference ? inference : training
  return { api, label, ...compareDocuments({ theirs, ours, label }) }
}

/** The emulator's own document of an API, as the options choose it. */
function ownDocument(api: Api, { contract = NEWEST_CONTRACT }: Arguments) {
  return describeApi(operationsIn(contract), api)
}

interface ApiDescription {
  readonly api: Api
  readonly ours: Readonly<Record<string, unknown>>
}

/** @throws {DriftError} When the file cannot be read. A file that will be written may be missing. */
async function readAllowList(file: string | undefined, maybeNew: boolean): Promise<string> {
  if (file === undefined) return ''
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && maybeNew) return ''
    const hint = code === 'ENOENT' ? ' --update-allow writes it' : ''
    throw new DriftError(`Failed to read ${file}: ${message}.${hint && `${hint}.`}`)
  }
}

async function writeAllowList(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new DriftError(`Failed to write ${file}: ${(error as Error).message}.`)
  }
}

function jsonOf({ compared, recorded, differences, stale }: DriftReport): string {
  return JSON.stringify(
    {
      document: compared && {
        name: compared.label,
        api: compared.api,
        operations: compared.shared,
      },
      recording: recorded && { responses: recorded.responses, skipped: recorded.skipped },
      differences: differences.map(({ allowed, origin: _origin, ...difference }) => ({
        ...difference,
        allowed: allowed !== undefined,
        reason: allowed?.reason,
      })),
      stale,
    },
    null,
    2,
  )
}
