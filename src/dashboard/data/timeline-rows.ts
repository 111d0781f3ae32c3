import type { TimelineItem } from '../../emulator/control/schemas/timeline.js'
import { counted, figure } from '../parts/amounts.js'
import { grouped } from './grouped.js'
import { rowKeys } from './row-keys.js'

/** What a row is about. Tasks of the scenario and other notes are `other`. */
export const ROW_KINDS = ['request', 'job', 'delivery', 'receipt', 'other'] as const
export type RowKind = (typeof ROW_KINDS)[number]

/** A point on the axis of time. */
export interface Mark {
  at: number
  problem: boolean
  scheduled: boolean
}

/** A row of the timeline: an entry, a delivery with its attempts, or a run of similar entries. */
export interface TimelineRow {
  key: string
  kind: RowKind
  /** What an open row shows: the details of an entry, or the entries of a run. */
  shape: 'entry' | 'delivery' | 'run'
  text: string
  outcome: string
  problem: boolean
  scheduled: boolean
  at: number
  /** When its last effect happened, or will happen. */
  end: number
  depth: number
  /** Where its own bar begins: when the delivery was caused, or the run began. */
  bar: { from: number; to: number } | undefined
  marks: readonly Mark[]
  /** The entry, or the first one of a delivery or a run. */
  item: TimelineItem
  /** The text of the entry that caused it. */
  cause: string | undefined
}

/** An entry with its effects. */
interface TimelineNode extends Omit<TimelineRow, 'depth'> {
  children: TimelineNode[]
}

export interface TimelineView {
  /** The rows outside of it are left out. */
  from: number
  to: number
  kind: RowKind | 'all'
  problemsOnly: boolean
  newestFirst: boolean
  isOpen: (key: string) => boolean
}

/** A run of at least this many similar entries becomes one row. */
const RUN = 4

/** The entries as a tree: effects below their causes. `ofOneJob` leaves the name of the job out of the texts. */
export function treeOf(items: readonly TimelineItem[], ofOneJob: boolean): TimelineNode[] {
  const byId = new Map<number, TimelineItem>()
  for (const item of items) if (item.id !== null) byId.set(item.id, item)
  const effects = grouped(items, ({ cause }) => (cause !== null && byId.has(cause) ? cause : null))
  const texts = (item: TimelineItem): string => (ofOneJob ? withoutSubject(item) : item.text)
  const keys = new Map(rowKeys(items, keyOf).map((key, at) => [items[at]!, key]))
  const grow = (cause: TimelineItem | undefined): TimelineNode[] => {
    const siblings = (effects.get(cause?.id ?? null) ?? []).sort(byTime)
    const nodes = siblings.map((item) => {
      return nodeOf(item, {
        key: keys.get(item)!,
        cause,
        text: texts(item),
        children: item.id === null ? [] : grow(item),
      })
    })
    return withRuns(withDeliveries(nodes), ofOneJob)
  }
  return grow(undefined)
}

function keyOf({ id, kind, at, delivery_id, job_id, text }: TimelineItem): string {
  return id === null ? `next-${kind}-${at}-${delivery_id ?? job_id ?? text}` : `entry-${id}`
}

/** The text of a job event without `poet 3f2a91bc`. */
function withoutSubject({ text, subject }: TimelineItem): string {
  return subject !== null && text.startsWith(`${subject} `) ? text.slice(subject.length + 1) : text
}

function byTime(one: TimelineItem, other: TimelineItem): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1
  return (one.id ?? Infinity) - (other.id ?? Infinity) || 0
}

interface Place {
  key: string
  cause: TimelineItem | undefined
  text: string
  children: TimelineNode[]
}

function nodeOf(item: TimelineItem, { key, cause, text, children }: Place): TimelineNode {
  const { kind, at, problem, scheduled, outcome } = item
  const time = Date.parse(at)
  const waited = kind === 'delivery' && cause !== undefined
  return {
    key,
    kind: rowKind(kind),
    shape: 'entry',
    text,
    outcome: outcome ?? '',
    problem,
    scheduled,
    at: time,
    end: Math.max(time, ...children.map(({ end }) => end)),
    bar: waited ? { from: Date.parse(cause.at), to: time } : undefined,
    marks: [{ at: time, problem, scheduled }],
    item,
    cause: cause?.text,
    children,
  }
}

function rowKind(kind: TimelineItem['kind']): RowKind {
  return ROW_KINDS.find((each) => each === kind) ?? 'other'
}

/** Puts the attempts of a delivery, and its next one, below one row for the delivery. */
function withDeliveries(nodes: readonly TimelineNode[]): TimelineNode[] {
  const groups = grouped(nodes, ({ item }) => item.delivery_id)
  return nodes.flatMap((node) => {
    const { delivery_id: id } = node.item
    const group = groups.get(id)!
    if (id === null || group.length === 1) return [node]
    return group[0] === node ? [deliveryOf(group)] : []
  })
}

function deliveryOf(attempts: TimelineNode[]): TimelineNode {
  const made = attempts.filter(({ scheduled }) => !scheduled)
  const [first, last] = [attempts[0]!, attempts.at(-1)!]
  const { item } = first
  const latest = made.at(-1) ?? first
  const state = stateOf(latest, last.scheduled)
  return {
    key: `delivery-${item.delivery_id}`,
    kind: 'delivery',
    shape: 'delivery',
    text: `Delivery ${item.event ?? ''}: ${state} after ${countOf(made)}`,
    outcome: state,
    problem: made.some(({ problem }) => problem),
    scheduled: false,
    at: first.at,
    end: Math.max(...attempts.map(({ end }) => end)),
    bar: { from: first.bar?.from ?? first.at, to: last.at },
    marks: attempts.flatMap(({ marks }) => marks),
    item,
    cause: first.cause,
    children: attempts.map((attempt, index) => {
      // A retry begins to wait when the attempt before it failed.
      const from = attempts[index - 1]?.at ?? attempt.bar?.from ?? attempt.at
      return { ...attempt, bar: { from, to: attempt.at } }
    }),
  }
}

/** Counts sends in words. A copy is no attempt. */
function countOf(made: readonly TimelineNode[]): string {
  const copies = new Set(made.flatMap(({ item }) => item.copy ?? [])).size
  const attempts = made.length - copies
  const also = copies === 0 ? '' : ` and ${counted(copies, 'copy', 'copies')}`
  return `${counted(attempts, 'attempt')}${also}`
}

function stateOf({ problem, outcome }: TimelineNode, retries: boolean): string {
  if (outcome === '') return 'on its way'
  if (!problem) return 'delivered'
  return retries ? 'retries' : 'failed'
}

/** Folds long runs of gradient steps of a job, and of the same request without effects. */
function withRuns(nodes: readonly TimelineNode[], ofOneJob: boolean): TimelineNode[] {
  const runs: Run[] = []
  // Jobs train at the same time, so the entries of several runs alternate.
  const open = new Map<string, Run>()
  for (const [at, node] of nodes.entries()) {
    const series = seriesOf(node)
    const run = series === undefined ? undefined : open.get(series)
    // The entries of one run have it in common.
    const isAlone = series === undefined || node.children.length > 0
    const key = isAlone ? undefined : `${node.problem} ${node.outcome}`
    if (run && key !== undefined && run.key === key) {
      run.nodes.push(node)
      continue
    }
    const begun = { at, key, nodes: [node], ordinal: (run?.ordinal ?? 0) + 1 }
    runs.push(begun)
    if (series !== undefined) open.set(series, begun)
  }
  const places = new Map(nodes.map((node, at) => [node, at]))
  return runs
    .flatMap((run) => {
      if (run.nodes.length >= RUN) return [{ at: run.at, node: runOf(run, ofOneJob) }]
      return run.nodes.map((node) => ({ at: places.get(node)!, node }))
    })
    .sort((one, other) => one.at - other.at)
    .map(({ node }) => node)
}

/** What may repeat: the steps of a job, or a request that only reads. */
function seriesOf({ item }: TimelineNode): string | undefined {
  if (item.scheduled) return undefined
  if (item.step !== null) return `steps of ${item.job_id}`
  return item.method === 'GET' ? callOf(item) : undefined
}

/** A request without its query. */
function callOf({ method, path }: TimelineItem): string {
  return `${method} ${path}`
}

interface Run {
  /** The place of the first node. */
  at: number
  key: string | undefined
  nodes: TimelineNode[]
  /** Counts the runs of a job: its old steps may be left out later, but an open run stays open. */
  ordinal: number
}

function runOf({ nodes, ordinal }: Run, ofOneJob: boolean): TimelineNode {
  const [first, last] = [nodes[0]!, nodes.at(-1)!]
  const { id, event, job_id } = first.item
  return {
    ...first,
    key: `run-${event === null ? id : `${job_id}-${ordinal}`}`,
    shape: 'run',
    text: runText(nodes, ofOneJob),
    end: last.end,
    bar: { from: first.at, to: last.at },
    marks: [...first.marks, ...last.marks],
    children: nodes,
  }
}

/** `poet 3f2a91bc steps 3–998 of 1,000, last loss 0.9, reward 0.5`, with the metrics of the last step. */
function runText(nodes: readonly TimelineNode[], ofOneJob: boolean): string {
  const [first, last] = [nodes[0]!, nodes.at(-1)!]
  const [one, other] = [first.item, last.item]
  if (one.method !== null) return `${figure(nodes.length)} × ${callOf(one)} ${first.outcome}`
  const job = ofOneJob ? '' : `${one.subject} `
  const metrics = other.metrics === null ? '' : `, last ${other.metrics}`
  return `${job}steps ${figure(one.step)}–${figure(other.step)} of ${figure(one.steps)}${metrics}`
}

/** The rows of a view, in the order of the tree. */
export function rowsOf(tree: readonly TimelineNode[], view: TimelineView): TimelineRow[] {
  const roots = view.newestFirst ? tree.toReversed() : tree
  return roots.flatMap((root) => visible(root, view, 0))
}

function visible(node: TimelineNode, view: TimelineView, depth: number): TimelineRow[] {
  const start = Math.min(node.at, node.bar?.from ?? node.at)
  if (start > view.to || node.end < view.from) return []
  const matches =
    (view.kind === 'all' || view.kind === node.kind) && (!view.problemsOnly || node.problem)
  const { children, ...row } = node
  const hidden = node.shape === 'run' && !view.isOpen(node.key)
  const below = hidden ? [] : children.flatMap((child) => visible(child, view, depth + 1))
  // Above a problem, its causes say why it came to it.
  if (matches || (view.problemsOnly && below.length > 0 && view.kind === 'all'))
    return [{ ...row, depth }, ...below]
  return below.map((each) => ({ ...each, depth: Math.max(depth, each.depth - 1) }))
}

/** How many rows of each kind, and how many problems, the timeline has. */
export function countsOf(
  items: readonly TimelineItem[],
): Record<RowKind | 'all' | 'problems', number> {
  const counts = { request: 0, job: 0, delivery: 0, receipt: 0, other: 0, all: 0, problems: 0 }
  for (const { kind, problem } of items) {
    counts[rowKind(kind)]++
    counts.all++
    if (problem) counts.problems++
  }
  return counts
}
