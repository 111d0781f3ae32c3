import type { Platform } from '../../platform/platform.js'
import { Project } from '../../platform/project.js'
import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import {
  ONLY,
  SECRET,
  type AnyPart,
  type KeyedRecord,
  type OnlyRecord,
  type SavedPart,
} from '../saved/saved-part.js'

/** A world with runs and artifacts. */
export interface PlatformWorld {
  readonly engine: {
    /** Without checkpoints that nobody asked for yet. */
    readonly clientPlatform: Platform
  }
}

/** What the records of runs and artifacts have in common: their texts may have keys and secrets. */
export const PLATFORM_RECORDS: Pick<AnyPart, 'key' | 'mayBeSecret'> = {
  key: ({ string }) => string().min(1),
  mayBeSecret: SECRET.mayBeSecret,
}

/** How many runs and artifacts there ever were. */
type PlatformRecord = OnlyRecord<'platform', { runs: number; artifacts: number }>

/** The numbers of runs and artifacts. The ids of new ones depend on it. */
export const savedPlatform: SavedPart<PlatformRecord, undefined, PlatformWorld> = {
  kind: 'platform',
  isOne: true,
  fields: ({ count }) => ({ runs: count, artifacts: count }),
  all({ engine: { clientPlatform: platform } }) {
    return platform.runs.created + platform.artifacts.records.created > 0 ? ONLY : []
  },
  content(_thing, _id, { engine: { clientPlatform: platform } }) {
    const { runs, artifacts } = platform
    return { runs: runs.created, artifacts: artifacts.records.created }
  },
  complete([saved], { engine: { clientPlatform: platform } }) {
    platform.endRestoring(saved ?? { runs: 0, artifacts: 0 })
  },
}

type ProjectRecord = KeyedRecord<'project', ContentFrom<typeof projectFields>>

const projectFields = ({ string, int, moment, array, tuple }: RecordFields) => ({
  ordinal: int().positive(),
  entity: string().min(1),
  name: string().min(1),
  createdAt: moment,
  description: string(),
  /** When each type of artifacts was created. */
  types: array(tuple([string(), moment])),
})

/** The projects. */
export const savedProjects: SavedPart<ProjectRecord, Project, PlatformWorld> = {
  kind: 'project',
  fields: projectFields,
  *all({ engine }) {
    for (const project of engine.clientPlatform.projects.all()) yield [project.id, project]
  },
  content({ ordinal, entity, name, createdAt, description, types }) {
    return { ordinal, entity, name, createdAt, description, types: [...types] }
  },
  restore(records, { engine }) {
    for (const { key: id, createdAt: at, description, types, ...facts } of records) {
      const project = new Project({ ...facts, id, at })
      project.description = description
      for (const [type, since] of types) project.types.set(type, since)
      engine.clientPlatform.projects.restore(project)
    }
  },
  ...PLATFORM_RECORDS,
}
