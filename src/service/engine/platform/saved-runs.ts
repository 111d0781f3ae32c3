import { RUN_STATES } from '../../scenario/run-states.js'
import type { z } from 'zod'
import { Run, RUN_STREAMS, RUN_TEXTS, type RunFacts, type RunStream } from '../../platform/run.js'
import { rowOf } from '../../platform/run-history.js'
import { LINES_IN_CHUNK, type LineChunk, type SavableThings } from '../../platform/savable.js'
import type { FieldsOf, RecordFields, RecordFrom } from '../saved/record-fields.js'
import type { SavedPart } from '../saved/saved-part.js'
import { PLATFORM_RECORDS, type PlatformWorld } from './saved-platform.js'

/** What a program says about its run. The summary changes with each line. */
type SavedFacts = { readonly [Name in Exclude<keyof RunFacts, 'summary' | 'tags'>]-?: string }

interface SavedRun extends SavedFacts {
  readonly project: string
  readonly name: string
  readonly user: string
  readonly createdAt: number
  readonly tags: readonly string[]
}

export interface RunRecord {
  kind: 'run'
  key: string
  /** Null if it was deleted. */
  run: SavedRun | null
}

/** The runs, without what changes with each line. */
export const savedRuns: SavedPart<RunRecord, Run | undefined, PlatformWorld> = {
  kind: 'run',
  schema(fields) {
    const { strictObject, literal, string, array, moment } = fields
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
    return strictObject({
      kind: literal('run'),
      key: string().min(1),
      run: run.nullable(),
    } satisfies FieldsOf<RunRecord>)
  },
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) yield [run.id, run]
  },
  records(run, key) {
    return [{ kind: 'run', key, run: run ? savedRun(run) : null }]
  },
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

export type RunProgressRecord = RecordFrom<typeof runProgressSchema>

function runProgressSchema(fields: RecordFields) {
  const { strictObject, literal, string, boolean, choice, number, moment } = fields
  const progress = strictObject({
    summary: jsonObject(fields),
    state: choice(RUN_STATES),
    exitCode: number().optional(),
    stopping: boolean(),
    isReopened: boolean(),
    heartbeatAt: moment,
  })
  return strictObject({
    kind: literal('run_progress'),
    key: string().min(1),
    /** Null if its run was deleted. */
    progress: progress.nullable(),
  })
}

/** What changes of a run with each line, beside the lines. */
export const savedRunProgress: SavedPart<RunProgressRecord, Run | undefined, PlatformWorld> = {
  kind: 'run_progress',
  schema: runProgressSchema,
  all: (world) => savedRuns.all(world),
  records(run, key) {
    if (!run) return [{ kind: 'run_progress', key, progress: null }]
    const { summary, state, exitCode, stopping, isReopened, heartbeatAt } = run
    const progress = { summary, state, exitCode, stopping, isReopened, heartbeatAt }
    return [{ kind: 'run_progress', key, progress }]
  },
  restore(records, { engine }) {
    for (const { key, progress } of records) {
      Object.assign(engine.clientPlatform.runs.withId(key)!, progress)
    }
  },
  isGone: ({ progress }) => progress === null,
  ...PLATFORM_RECORDS,
}

export type RunLinesRecord = RecordFrom<typeof runLinesSchema>

function runLinesSchema({ strictObject, literal, string, array }: RecordFields) {
  return strictObject({
    kind: literal('run_lines'),
    /** The id of the run, the stream, and the index of the chunk. */
    key: string().min(1),
    /** Null: nobody wrote that place. Empty: the chunk is gone. */
    lines: array(string().nullable()),
  })
}

/** The lines of the streams of runs, some in each record, so that a new line does not write all of them again. */
export const savedRunLines: SavedPart<RunLinesRecord, LineChunk, PlatformWorld> = {
  kind: 'run_lines',
  schema: runLinesSchema,
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
  records({ run, stream, index }, key) {
    const start = index * LINES_IN_CHUNK
    const lines = Array.from(
      run[stream].slice(start, start + LINES_IN_CHUNK),
      (line) => line ?? null,
    )
    return [{ kind: 'run_lines', key, lines }]
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

export type RunFileRecord = RecordFrom<typeof runFileSchema>

function runFileSchema({ strictObject, literal, string, moment }: RecordFields) {
  const file = strictObject({
    run: string(),
    path: string().min(1),
    /** The MD5 of its content in base64. */
    digest: string().optional(),
    updatedAt: moment,
  })
  return strictObject({
    kind: literal('run_file'),
    key: string().min(1),
    /** Null if it was deleted. */
    file: file.nullable(),
  })
}

/** The files of runs. */
export const savedRunFiles: SavedPart<RunFileRecord, SavableThings['runFile'], PlatformWorld> = {
  kind: 'run_file',
  schema: runFileSchema,
  *all({ engine }) {
    for (const run of engine.clientPlatform.runs.all) {
      for (const file of run.files.values()) yield [file.id, { run, file }]
    }
  },
  records(thing, key) {
    if (!thing) return [{ kind: 'run_file', key, file: null }]
    const { path, digest, updatedAt } = thing.file
    const file = { run: thing.run.id, path, digest, updatedAt }
    return [{ kind: 'run_file', key, file }]
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
