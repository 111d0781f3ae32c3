import { OWN_CONFIG, OWN_CONFIG_FIELD } from '../../../base/text/vendor/platform-names.js'
import type { Artifact } from '../../platform/artifact.js'
import { rowOf } from '../../platform/run-row.js'
import { PlatformError } from '../../platform/platform-error.js'
import type { Run } from '../../platform/run.js'
import { formatMoment, type PlatformCall, type View } from './call.js'
import { connection, nodesOf, type PageArguments } from './connection.js'
import { outputPage, type OutputArguments } from './output-page.js'
import { valueAt } from '../../../base/text/value-at.js'
import { isLike } from './filter.js'

interface FileArguments extends PageArguments {
  readonly names?: readonly (string | null)[] | null
  readonly pattern?: string | null
}

interface HistoryArguments {
  readonly samples?: number | null
  readonly minStep?: number | null
  readonly maxStep?: number | null
}

/** The most rows of a history in one answer. */
const MOST_SAMPLES = 10_000
/** How many rows of a sampled history come if its spec has no number. */
const USUAL_SAMPLES = 500

/** A run with its history and its files. */
export function runView(run: Run, call: PlatformCall): View {
  const { views, platform, reading } = call
  return {
    __typename: 'Run',
    ...runFacts(run),
    user: () => views.user(run.user),
    project: () => views.project(platform.projects.get(run.entity, run.project.name)),
    ...historyFields(run),
    fileCount: run.files.size,
    files: ({ names, pattern, ...page }: FileArguments) => {
      const wanted = names && names.length > 0 ? new Set(names) : undefined
      const files = [...run.files.values()].filter(({ path, digest }) => {
        if (pattern && !isLike(path, pattern, reading)) return false
        // One that is wanted for by name gets an address to upload it.
        return wanted ? wanted.has(path) : digest !== undefined
      })
      return nodesOf(files, page, views.file)
    },
    outputArtifacts: (page: PageArguments) =>
      artifactPage(call, page, (artifact) => artifact.isLoggedBy(run)),
    inputArtifacts: (page: PageArguments) =>
      artifactPage(call, page, (artifact) => artifact.usedBy.has(run)),
  }
}

function runFacts(run: Run): View {
  const { id, name, displayName, description, notes, tags, group, jobType, commit, host } = run
  return {
    id,
    name,
    displayName,
    description,
    notes,
    tags,
    group,
    groupName: group,
    jobType,
    commit,
    host,
    state: run.state,
    sweepName: run.sweep === '' ? null : run.sweep,
    stopped: run.stopping,
    readOnly: false,
    createdAt: formatMoment(run.createdAt),
    updatedAt: formatMoment(run.heartbeatAt),
    heartbeatAt: formatMoment(run.heartbeatAt),
    projectId: run.project.ordinal,
    config: run.config,
    summaryMetrics: run.summary,
    systemMetrics: () => run.events.tail(1)[0] ?? '{}',
    [OWN_CONFIG_FIELD]: ({ keys }: { keys?: readonly string[] | null }) => ownConfig(run, keys),
  }
}

function historyFields(run: Run): View {
  const { history, events, output } = run
  return {
    historyLineCount: history.length,
    eventsLineCount: events.length,
    logLineCount: output.length,
    historyTail: () => JSON.stringify(history.tail(1)),
    eventsTail: () => JSON.stringify(events.tail(1)),
    historyKeys: () => historyKeys(run),
    history: ({ samples, minStep, maxStep }: HistoryArguments) =>
      history.range({
        minStep: minStep ?? undefined,
        maxStep: maxStep ?? undefined,
        most: Math.min(samples ?? MOST_SAMPLES, MOST_SAMPLES),
      }),
    events: ({ samples }: HistoryArguments) =>
      events.tail(Math.min(samples ?? MOST_SAMPLES, MOST_SAMPLES)),
    sampledHistory: ({ specs }: { specs: readonly string[] }) =>
      specs.map((spec) => sampledHistory(run, spec)),
    logLines: (page: OutputArguments) => outputPage(output, page),
    parquetHistory: { parquetUrls: [], liveData: [] },
  }
}

function sampledHistory(run: Run, spec: string): Record<string, unknown>[] {
  const { keys = [], samples, minStep, maxStep } = Object(rowOf(spec)) as Record<string, unknown>
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string')) {
    throw new PlatformError(
      'invalid',
      'The spec of a sampled history has no list of keys; expected a JSON object such as {"keys": ["loss"], "samples": 500}.',
    )
  }
  const last = numberIn(maxStep)
  // The last step of a spec is part of it, unlike that of `history`: https://github.com/wandb/wandb/pull/12010
  const end = last === undefined ? undefined : last + 1
  const most = Math.min(numberIn(samples) ?? USUAL_SAMPLES, MOST_SAMPLES)
  return run.history.sampled(keys as string[], { minStep: numberIn(minStep), maxStep: end, most })
}

/** Clients send null for what they leave out. */
function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function historyKeys({ history }: Run): View | null {
  if (history.length === 0) return null
  const keys = [...history.keys()].map(([key, { type, count, last }]) => {
    return [key, { typeCounts: [{ type, count }], previousValue: last }] as const
  })
  return { sets: [], keys: Object.fromEntries(keys), lastStep: history.lastStep }
}

/** What the SDK wrote about itself. */
function ownConfig(run: Run, keys: readonly string[] | null | undefined): string {
  const value = valueAt(rowOf(run.config), [OWN_CONFIG, 'value'])
  const all = Object.entries(Object(value) as object)
  return JSON.stringify(Object.fromEntries(keys ? all.filter(([key]) => keys.includes(key)) : all))
}

function artifactPage(
  { platform, views, reading }: PlatformCall,
  page: PageArguments,
  isWanted: (artifact: Artifact) => boolean,
): View {
  const all = [...platform.artifacts.all]
  reading.count(all.length)
  const artifacts = all.filter((artifact) => {
    return artifact.state === 'COMMITTED' && isWanted(artifact)
  })
  return connection(artifacts, page, (artifact) => ({
    version: `v${artifact.version?.index}`,
    node: () => views.artifact(artifact),
  }))
}
