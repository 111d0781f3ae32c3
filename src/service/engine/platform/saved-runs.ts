import { restoredRecord, savedRecord, type SavedOf } from '../../platform/record.js'
import { Run, RUN, RUN_PROGRESS, RUN_STREAMS, type SentLines } from '../../platform/run.js'
import {
  lineKey,
  LINES_IN_CHUNK,
  readLineKey,
  type LineChunk,
  type SavableThings,
} from '../../platform/savable.js'
import { FILE } from '../../platform/stored-file.js'
import type { FieldsOf } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import { schemasOf } from './record-schemas.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** Null if it was deleted. */
type RunRecord = KeyedRecord<'run', { run: SavedOf<typeof RUN> | null }>

/** The runs, without what changes with each line. */
export const savedRuns: SavedPart<RunRecord, Run | undefined, PlatformWorld> = {
  kind: 'run',
  fields: (fields) => ({ run: fields.strictObject(schemasOf(RUN, fields)).nullable() }),
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) yield [run.id, run]
  },
  content: (run) => ({ run: run ? savedRecord(RUN, run) : null }),
  restore(records, { engine: { clientPlatform: platform } }) {
    for (const { key: id, run: saved } of records) {
      const project = platform.projects.byId.get(saved!.project)!
      const made = restoredRecord(RUN, saved!, { project })
      platform.runs.restore(new Run(id, { ...made, heartbeatAt: made.createdAt }))
    }
  },
  isGone: ({ run }) => run === null,
  ...PLATFORM_RECORDS,
}

type Progress = SavedOf<typeof RUN_PROGRESS> & {
  /** Only if several programs share it. */
  writers?: Record<string, SentLines> | undefined
}

/** Null if its run was deleted. */
type RunProgressRecord = KeyedRecord<'run_progress', { progress: Progress | null }>

/** What changes of a run with each line, beside the lines. */
export const savedRunProgress: SavedPart<RunProgressRecord, Run | undefined, PlatformWorld> = {
  kind: 'run_progress',
  fields(fields) {
    const { strictObject, record, string, count } = fields
    const sent = { history: count, events: count, output: count } satisfies FieldsOf<SentLines>
    const writers = record(string(), strictObject(sent)).optional()
    return {
      progress: strictObject({ ...schemasOf(RUN_PROGRESS, fields), writers }).nullable(),
    }
  },
  all: (world) => savedRuns.all(world),
  content(run) {
    if (!run) return { progress: null }
    const writers = run.writers.size > 0 ? Object.fromEntries(run.writers) : undefined
    return { progress: { ...savedRecord(RUN_PROGRESS, run), writers } }
  },
  restore(records, { engine }) {
    for (const { key, progress } of records) {
      const { writers = {}, ...facts } = progress!
      const run = Object.assign(engine.clientPlatform.runs.withId(key)!, facts)
      for (const [writer, sent] of Object.entries(writers)) run.writers.set(writer, sent)
    }
  },
  isGone: ({ progress }) => progress === null,
  ...PLATFORM_RECORDS,
}

/**
 * By the id of the run, the stream, and the index of the chunk. A line is null if nobody wrote that place. There are none
 * if the chunk is gone.
 */
type RunLinesRecord = KeyedRecord<'run_lines', { lines: (string | null)[] }>

/** The lines of the streams of runs, some in each record, so that a new line does not write all of them again. */
export const savedRunLines: SavedPart<RunLinesRecord, LineChunk, PlatformWorld> = {
  kind: 'run_lines',
  fields: ({ string, array }) => ({ lines: array(string().nullable()) }),
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) {
      for (const stream of RUN_STREAMS) {
        const chunks = Math.ceil(run[stream].length / LINES_IN_CHUNK)
        for (let index = 0; index < chunks; index++) {
          const chunk = { run, stream, index }
          yield [lineKey(chunk), chunk]
        }
      }
    }
  },
  content({ run, stream, index }) {
    const start = index * LINES_IN_CHUNK
    const lines = run[stream].slice(start, start + LINES_IN_CHUNK)
    return { lines: Array.from(lines, (line) => line ?? null) }
  },
  restore(records, { engine: { clientPlatform: platform } }) {
    for (const { key, lines } of records) {
      const { run: id, ...place } = readLineKey(key)!
      platform.runs.lines.restore({ run: platform.runs.withId(id)!, ...place }, lines)
    }
  },
  isGone: ({ lines }) => lines.length === 0,
  ...PLATFORM_RECORDS,
}

/** A file, with the id of its run. Null if it was deleted. */
type RunFileRecord = KeyedRecord<
  'run_file',
  { file: (SavedOf<typeof FILE> & { run: string }) | null }
>

/** The files of runs. */
export const savedRunFiles: SavedPart<RunFileRecord, SavableThings['runFile'], PlatformWorld> = {
  kind: 'run_file',
  fields: (fields) => ({
    file: fields.strictObject({ run: fields.string(), ...schemasOf(FILE, fields) }).nullable(),
  }),
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) {
      for (const file of run.files.values()) yield [file.id, { run, file }]
    }
  },
  content(thing) {
    return { file: thing ? { run: thing.run.id, ...savedRecord(FILE, thing.file) } : null }
  },
  restore(records, { engine: { clientPlatform: platform } }) {
    for (const { key: id, file: saved } of records) {
      const { run, ...file } = saved!
      platform.runs.files.restore(platform.runs.withId(run)!, { ...file, id })
    }
  },
  isGone: ({ file }) => file === null,
  ...PLATFORM_RECORDS,
}
