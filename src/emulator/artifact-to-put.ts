import {
  jsonObject,
  valueKind,
  listOf,
  nonEmptyText,
  Options,
  recordOf,
  required,
  aText,
} from '../base/text/options.js'

/** An artifact to put into a project, as a program that logs it does. */
export interface ArtifactToPut {
  /** The name of its collection. */
  name: string
  /** The contents of its files by path. A text is written as UTF-8. */
  files: Record<string, string | Uint8Array>
  /** The project. Default: `demo`. */
  project?: string | undefined
  /** The team. Default: that of the local account, `local-team`. */
  entity?: string | undefined
  /** The type. Default: `dataset`. */
  type?: string | undefined
  /** What it is. Default: empty. */
  description?: string | undefined
  /** A JSON object. Default: empty. */
  metadata?: Record<string, unknown> | undefined
  /** Aliases besides `latest`. Another version that has one of them loses it. */
  aliases?: readonly string[] | undefined
  /** Tags of the version. Default: none. */
  tags?: readonly string[] | undefined
}

/** The type of artifacts that are put without a type. */
export const DEFAULT_TYPE = 'dataset'

const aContent = valueKind('a text or bytes', (value) => {
  return typeof value === 'string' || value instanceof Uint8Array
})

export const artifactToPut = new Options<ArtifactToPut>('artifacts.put', {
  name: required(nonEmptyText),
  files: required(recordOf(aContent)),
  project: nonEmptyText,
  entity: nonEmptyText,
  type: nonEmptyText,
  description: aText,
  metadata: jsonObject,
  aliases: listOf(nonEmptyText),
  tags: listOf(nonEmptyText),
})
