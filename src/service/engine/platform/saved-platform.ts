import type { Platform } from '../../platform/platform.js'
import { Project } from '../../platform/project.js'
import type { RecordFields, RecordFrom } from '../saved/record-fields.js'
import { ONLY, SECRET, type SavedPart } from '../saved/saved-part.js'

/** A world with runs and artifacts. */
export interface PlatformWorld {
  readonly engine: {
    /** Without checkpoints that nobody asked for yet. */
    readonly clientPlatform: Platform
  }
}

/** What the records of runs and artifacts have in common: their texts may have keys and secrets. */
export const PLATFORM_RECORDS = { mayBeSecret: SECRET.mayBeSecret }

export type PlatformRecord = RecordFrom<typeof platformSchema>

function platformSchema({ strictObject, literal, count }: RecordFields) {
  return strictObject({
    kind: literal('platform'),
    /** How many runs there ever were. */
    runs: count,
    artifacts: count,
  })
}

/** How many runs and artifacts there ever were. The ids of new ones depend on it. */
export const savedPlatform: SavedPart<PlatformRecord, undefined, PlatformWorld> = {
  kind: 'platform',
  schema: platformSchema,
  all({ engine: { clientPlatform: platform } }) {
    return platform.runs.created + platform.artifacts.records.created > 0 ? ONLY : []
  },
  records(_thing, _id, { engine: { clientPlatform: platform } }) {
    const { runs, artifacts } = platform
    const record = { runs: runs.created, artifacts: artifacts.records.created }
    return [{ kind: 'platform', ...record }]
  },
  complete([saved], { engine: { clientPlatform: platform } }) {
    platform.endRestoring(saved ?? { runs: 0, artifacts: 0 })
  },
}

export type ProjectRecord = RecordFrom<typeof projectSchema>

function projectSchema({ strictObject, literal, string, int, moment, array, tuple }: RecordFields) {
  return strictObject({
    kind: literal('project'),
    key: string().min(1),
    ordinal: int().positive(),
    entity: string().min(1),
    name: string().min(1),
    createdAt: moment,
    description: string(),
    /** When each type of artifacts was created. */
    types: array(tuple([string(), moment])),
  })
}

/** The projects. */
export const savedProjects: SavedPart<ProjectRecord, Project, PlatformWorld> = {
  kind: 'project',
  schema: projectSchema,
  *all({ engine }) {
    for (const project of engine.clientPlatform.projects.all()) yield [project.id, project]
  },
  records({ ordinal, entity, name, createdAt, description, types }, key) {
    const record = { ordinal, entity, name, createdAt, description, types: [...types] }
    return [{ kind: 'project', key, ...record }]
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
