import type { Project } from '../../platform/project.js'
import type { Run, RunFacts } from '../../platform/run.js'
import { runStateOf } from '../../platform/run-states.js'
import {
  checkEntity,
  checkFound,
  entityOf,
  saidIn,
  type Input,
  type Mutations,
  type PlatformCall,
  type View,
} from './call.js'

interface UpsertBucket {
  readonly id?: string | null
  readonly name?: string | null
  readonly modelName?: string | null
  readonly entityName?: string | null
  readonly groupName?: string | null
  readonly description?: string | null
  readonly displayName?: string | null
  readonly notes?: string | null
  readonly commit?: string | null
  readonly config?: string | null
  readonly host?: string | null
  readonly jobProgram?: string | null
  readonly jobType?: string | null
  readonly state?: string | null
  readonly sweep?: string | null
  readonly tags?: readonly string[] | null
  readonly summaryMetrics?: string | null
}

export interface NamedRun {
  readonly entityName: string
  readonly projectName: string
  readonly runName: string
}

/** The project of a run that names none. */
const UNNAMED_PROJECT = 'uncategorized'

/** The fields of `Mutation` that are about projects and runs. */
export function runMutations(call: PlatformCall): Mutations {
  const { platform, author, views } = call
  const { runs } = platform
  return {
    upsertBucket: ({ input }: Input<UpsertBucket>) => upsertBucket(input, call),
    upsertModel: ({ input }: Input<UpsertModel>) => upsertModel(input, call),
    deleteRun: ({ input }: Input<{ id: string; deleteArtifacts?: boolean | null }>) => {
      const run = runWithId(input.id, call)
      if (input.deleteArtifacts) deleteArtifactsOf(run, call)
      runs.delete(run)
      return { success: true }
    },
    updateRunState: ({ input }: Input<{ id: string; state: string }>) => {
      runs.states.set(runWithId(input.id, call), runStateOf(input.state), author)
      return { success: true }
    },
    stopRun: ({ input }: Input<{ id: string }>) => {
      runs.states.stop(runWithId(input.id, call))
      return { success: true }
    },
    createRunFiles: ({ input }: Input<NamedRun & { files: readonly string[] }>) => {
      const run = runNamed(input, call)
      const files = runs.files.open(run, input.files).map((file) => views.file(file))
      return { runID: run.id, uploadHeaders: [], files }
    },
    markRunFilesUploaded: ({ input }: Input<NamedRun>) => {
      runNamed(input, call)
      return { success: true }
    },
    deleteFiles: ({ input }: Input<{ files: readonly string[] }>) => {
      for (const id of input.files) {
        const file = platform.file(id)
        if (file) checkEntity(call, file.entity)
      }
      runs.files.delete(input.files)
      return { success: true }
    },
    notifyScriptableRunAlert: ({ input }: Input<NamedRun>) => {
      runNamed(input, call)
      return { success: true }
    },
  }
}

/** The run that a mutation names. It must exist. */
export function runNamed({ entityName, projectName, runName }: NamedRun, call: PlatformCall): Run {
  const entity = checkEntity(call, entityName)
  return call.platform.runs.get({ entity, project: projectName, name: runName })
}

function runWithId(id: string, call: PlatformCall): Run {
  return checkFound(call, call.platform.runs.withId(id), { kind: 'run', id })
}

function upsertBucket(input: UpsertBucket, call: PlatformCall): View {
  const { runs } = call.platform
  const known = input.id ? runWithId(input.id, call) : undefined
  const entity = checkEntity(call, input.entityName)
  const project = textIn(input.modelName) ?? UNNAMED_PROJECT
  // Programs name their project. What only changes a run names its id alone.
  const reopens = Boolean(input.name ?? input.modelName)
  const which = {
    run: known,
    entity,
    project,
    name: textIn(input.name),
    writer: call.writer,
    reopens,
  }
  const state = input.state ? runStateOf(input.state) : undefined
  const { run, created } = runs.upsert(which, runFactsOf(input), call.author)
  if (state) runs.states.set(run, state, call.author)
  const serverSettings = { serverMessages: [] }
  return { bucket: call.views.run(run), inserted: created, serverSettings }
}

function textIn(value: string | null | undefined): string | undefined {
  return value === null || value === '' ? undefined : value
}

function runFactsOf(input: UpsertBucket): RunFacts {
  const { groupName: group, jobProgram: program, summaryMetrics: summary, ...facts } = saidIn(input)
  const { displayName, description, notes, jobType, host, commit, sweep, tags, config } = facts
  const named = { displayName, description, notes, group, jobType, program, host, commit, sweep }
  return { ...named, tags, config, summary }
}

interface UpsertModel {
  readonly id?: string | null
  readonly name?: string | null
  readonly entityName?: string | null
  readonly description?: string | null
  readonly access?: string | null
  readonly views?: string | null
  readonly allowAllArtifactTypesInRegistry?: boolean | null
  readonly artifactTypes?: readonly { name: string }[] | null
}

function upsertModel(input: UpsertModel, call: PlatformCall): View {
  const { projects } = call.platform
  const known = projectIn(input, call)
  const types = input.artifactTypes?.map(({ name }) => name) ?? []
  projects.checkTypes(known, types)
  const { description, access, views, allowAllArtifactTypesInRegistry } = saidIn(input)
  const facts = {
    description,
    access,
    views,
    allowsAllTypes: allowAllArtifactTypesInRegistry,
  }
  const entity = entityOf(call, input.entityName)
  const project = known ?? projects.open(entity, input.name ?? '', call.author)
  projects.revise(project, facts)
  for (const type of types) projects.addType(project, type)
  const view = call.views.project(project)
  return { model: view, project: view, inserted: !known }
}

/** The project that a client means: by its id, or by its name. Undefined: it is new. */
function projectIn({ id, name, entityName }: UpsertModel, call: PlatformCall): Project | undefined {
  const { projects } = call.platform
  if (id) return checkFound(call, projects.byId.get(id), { kind: 'project', id })
  return projects.named(checkEntity(call, entityName), name ?? '')
}

function deleteArtifactsOf(run: Run, { platform: { artifacts }, author }: PlatformCall): void {
  for (const artifact of artifacts.all) {
    if (artifact.run === run) artifacts.delete(artifact, { withAliases: true }, author)
  }
}
