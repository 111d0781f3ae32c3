import type { Platform } from '../../platform/platform.js'
import { Project } from '../../platform/project.js'
import { PROJECT } from '../../platform/project-record.js'
import { restoredRecord, savedRecord, type SavedOf } from '../../platform/record.js'
import {
  ONLY,
  SECRET,
  type AnyPart,
  type KeyedRecord,
  type OnlyRecord,
  type SavedPart,
} from '../saved/saved-part.js'
import { schemasOf } from './record-schemas.js'

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

type ProjectRecord = KeyedRecord<'project', SavedOf<typeof PROJECT>>

/** The projects. */
export const savedProjects: SavedPart<ProjectRecord, Project, PlatformWorld> = {
  kind: 'project',
  fields: (fields) => schemasOf(PROJECT, fields),
  *all({ engine }) {
    for (const project of engine.clientPlatform.projects.all()) yield [project.id, project]
  },
  content: (project) => savedRecord(PROJECT, project),
  restore(records, { engine }) {
    for (const saved of records) {
      const project = new Project(saved.key, restoredRecord(PROJECT, saved, {}))
      engine.clientPlatform.projects.restore(project)
    }
  },
  ...PLATFORM_RECORDS,
}
