import type { Artifact, ArtifactCollection, ManifestRecord, Version } from './artifact.js'
import type { Project } from './project.js'
import { RUN_STREAMS, type Run, type RunStream } from './run.js'
import type { StoredFile } from './stored-file.js'

/** Some lines of a stream of a run: those of one chunk. */
export interface LineChunk {
  readonly run: Run
  readonly stream: RunStream
  /** Chunk 2 begins with line `2 * LINES_IN_CHUNK`. */
  readonly index: number
}

/** Returns the key of a chunk. */
export function lineKey({ run, stream, index }: LineChunk): string {
  return `${run.id} ${stream} ${index}`
}

const LINE_KEY = new RegExp(`^(\\S+) (${RUN_STREAMS.join('|')}) (0|[1-9]\\d{0,3})$`)

/** Reads the key of a chunk. Undefined if it is none. */
export function readLineKey(
  key: string,
): { run: string; stream: RunStream; index: number } | undefined {
  const [, run, stream, index] = LINE_KEY.exec(key) ?? []
  if (run === undefined) return undefined
  return { run, stream: stream as RunStream, index: Number(index) }
}

/** A run that used an artifact, or logged it once more. */
export interface ArtifactUse {
  readonly artifact: Artifact
  readonly run: Run
  readonly logs?: boolean | undefined
}

/** Returns the key of a use. */
export function useKey({ artifact, run, logs }: ArtifactUse): string {
  return `${artifact.id} ${run.id}${logs ? ' logs' : ''}`
}

/** A file that is uploaded to an artifact. */
export interface ArtifactUpload {
  readonly artifact: Artifact
  readonly file: StoredFile
}

/** A manifest that is uploaded to an artifact. */
export interface ManifestUpload {
  readonly artifact: Artifact
  readonly manifest: ManifestRecord
}

/** The things of runs and artifacts that are saved. Undefined: it is gone. */
export interface SavableThings {
  /** How many runs and artifacts there ever were. */
  counters: undefined
  project: Project
  run: Run | undefined
  /** What changes of a run with each line. */
  progress: Run | undefined
  lines: LineChunk
  runFile: { readonly run: Run; readonly file: StoredFile } | undefined
  collection: ArtifactCollection
  artifact: Artifact | undefined
  /** Another id of an artifact. */
  otherId: Artifact | undefined
  clientId: Artifact | undefined
  use: ArtifactUse
  version: Version | undefined
  upload: ArtifactUpload
  manifest: ManifestUpload
  /** The size of a content in bytes, also of one that is gone. */
  content: number
}

/** Hears of each thing that must be saved, with its id. */
export type RecordChange = <Kind extends keyof SavableThings>(
  kind: Kind,
  id: string,
  thing: SavableThings[Kind],
) => void

/** How many lines of a stream are saved together. A new line writes its chunk again. */
export const LINES_IN_CHUNK = 32
