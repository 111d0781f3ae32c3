import { RUN_STATES } from '../../scenario/run-states.js'
import type { z } from 'zod'
import {
  Run,
  RUN_STREAMS,
  RUN_TEXTS,
  type RunFacts,
  type RunStream,
  type SentLines,
} from '../../platform/run.js'
import { rowOf } from '../../platform/run-history.js'
import { LINES_IN_CHUNK, type LineChunk, type SavableThings } from '../../platform/savable.js'
import type { ContentFrom, FieldsOf, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** What a program says about its run. The summary changes with each line. */
type SavedFacts = { readonly [Name in Exclude<keyof RunFacts, 'summary' | 'tags'>]-?: string }

export interface SavedRun extends SavedFacts {
  readonly project: string
  readonly name: string
  readonly user: string
  readonly createdAt: number
  readonly tags: readonly string[]
}

/** Null if it was deleted. */
type RunRecord = KeyedRecord<'run', { run: SavedRun | null }>

/** The runs, without what changes with each line. */
export const savedRuns: SavedPart<RunRecord, Run | undefined, PlatformWorld> = {
  kind: 'run',
  fields(fields) {
    const { strictObject, string, array, moment } = fields
    const run = strictObject({
      project: string(),
      name: string().min(1),
      user: string(),
      createdAt: moment,
      displayName: string(),
      description: string(),
      notes: string(),
      group: string(),
      jobType: string(),
      program: string(),
      host: string(),
      commit: string(),
      sweep: string(),
      config: jsonObject(fields),
      tags: array(string()),
    } satisfies FieldsOf<SavedRun>)
    return { run: run.nullable() }
  },
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) yield [run.id, run]
  },
  content: (run) => ({ run: run ? savedRun(run) : null }),
  restore(records, { engine: { clientPlatform: platform } }) {
    const projects = platform.projects.byId
    for (const { key: id, run: saved } of records) {
      const { project, createdAt: at, name, user, ...facts } = saved!
      const run = new Run({ id, name, project: projects.get(project)!, user, at })
      run.revise(facts)
      platform.runs.restore(run)
    }
  },
  isGone: ({ run }) => run === null,
  ...PLATFORM_RECORDS,
}

function savedRun(run: Run): SavedRun {
  const { name, user, createdAt, tags } = run
  const texts = RUN_TEXTS.filter((text) => text !== 'summary').map((text) => [text, run[text]])
  const facts = Object.fromEntries(texts) as SavedFacts
  return { project: run.project.id, name, user, createdAt, ...facts, tags }
}

/** A text that is a JSON object. */
export function jsonObject({ string }: RecordFields): z.ZodType<string> {
  return string().refine((text) => rowOf(text) !== undefined, {
    error: 'expected a JSON object as a text',
  })
}

type RunProgressRecord = KeyedRecord<'run_progress', ContentFrom<typeof runProgressFields>>

function runProgressFields(fields: RecordFields) {
  const { strictObject, boolean, choice, number, moment, record, string, count } = fields
  const sent = strictObject({
    history: count,
    events: count,
    output: count,
  } satisfies FieldsOf<SentLines>)
  const progress = strictObject({
    summary: jsonObject(fields),
    state: choice(RUN_STATES),
    exitCode: number().optional(),
    stopping: boolean(),
    isReopened: boolean(),
    heartbeatAt: moment,
    /** Only if several programs share it. */
    writers: record(string(), sent).optional(),
  })
  /** Null if its run was deleted. */
  return { progress: progress.nullable() }
}

/** What changes of a run with each line, beside the lines. */
export const savedRunProgress: SavedPart<RunProgressRecord, Run | undefined, PlatformWorld> = {
  kind: 'run_progress',
  fields: runProgressFields,
  all: (world) => savedRuns.all(world),
  content(run) {
    if (!run) return { progress: null }
    const { summary, state, exitCode, stopping, isReopened, heartbeatAt } = run
    const writers = run.writers.size > 0 ? Object.fromEntries(run.writers) : undefined
    return { progress: { summary, state, exitCode, stopping, isReopened, heartbeatAt, writers } }
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
          yield [`${run.id} ${stream} ${index}`, { run, stream, index }]
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
      const { run: id, ...place } = readLinesKey(key)!
      platform.runs.restoreLines({ run: platform.runs.withId(id)!, ...place }, lines)
    }
  },
  isGone: ({ lines }) => lines.length === 0,
  ...PLATFORM_RECORDS,
}

/** Reads the key of some lines. Undefined if it is none. */
export function readLinesKey(
  key: string,
): { run: string; stream: RunStream; index: number } | undefined {
  const [, run, stream, index] = /^(\S+) (history|events|output) (0|[1-9]\d{0,3})$/.exec(key) ?? []
  if (run === undefined) return undefined
  return { run, stream: stream as RunStream, index: Number(index) }
}

type RunFileRecord = KeyedRecord<'run_file', ContentFrom<typeof runFileFields>>

function runFileFields({ strictObject, string, moment }: RecordFields) {
  const file = strictObject({
    run: string(),
    path: string().min(1),
    /** The MD5 of its content in base64. */
    digest: string().optional(),
    updatedAt: moment,
  })
  /** Null if it was deleted. */
  return { file: file.nullable() }
}

/** The files of runs. */
export const savedRunFiles: SavedPart<RunFileRecord, SavableThings['runFile'], PlatformWorld> = {
  kind: 'run_file',
  fields: runFileFields,
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) {
      for (const file of run.files.values()) yield [file.id, { run, file }]
    }
  },
  content(thing) {
    if (!thing) return { file: null }
    const { path, digest, updatedAt } = thing.file
    return { file: { run: thing.run.id, path, digest, updatedAt } }
  },
  restore(records, { engine: { clientPlatform: platform } }) {
    for (const { key: id, file } of records) {
      const { run, path, digest, updatedAt: at } = file!
      platform.runs.restoreFile(platform.runs.withId(run)!, { id, path, digest, at })
    }
  },
  isGone: ({ file }) => file === null,
  ...PLATFORM_RECORDS,
}
