import { isRecord } from '../../service/contract/pydantic/record.js'
import { matchesGlob } from '../../base/text/glob.js'
import { didYouMean } from '../../base/text/nearest.js'
import { DriftError, parseText, shortText } from './document.js'
import type { Difference } from './difference.js'

/** A difference that is accepted, or several: a star stands for any text. */
export interface AllowEntry {
  readonly id: string
  /** Why it is accepted. */
  readonly reason?: string | undefined
}

/** Differences, and which of them are accepted. */
export interface SortedDifferences {
  readonly differences: readonly (Difference & { readonly allowed?: AllowEntry })[]
  /** Entries that match no difference any more. */
  readonly stale: readonly AllowEntry[]
}

const KEYS = ['id', 'reason']

/**
 * Reads an allow list from YAML or JSON.
 *
 * @throws {DriftError} When it is not a list of entries.
 * @example
 * const entries = await parseAllowList('- id: field-added GET *\n  reason: not needed yet', 'allow.yaml')
 */
export async function parseAllowList(text: string, label: string): Promise<AllowEntry[]> {
  if (isWithoutContent(text)) return []
  const list = await parseText(text, label)
  if (list === null) return []
  if (!Array.isArray(list)) {
    throw new DriftError(`${label} is not a list. ${ENTRIES}.`)
  }
  return list.map((entry: unknown, index) => checkedEntry(entry, `Entry ${index + 1} of ${label}`))
}

const ENTRIES = 'It takes a list of entries with "id" and "reason", as the command prints the ids'

/** YAML with comments alone has no content. */
function isWithoutContent(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line))
}

function checkedEntry(entry: unknown, named: string): AllowEntry {
  if (!isRecord(entry)) throw new DriftError(`${named} is ${shortText(entry)}. ${ENTRIES}.`)
  const unknown = Object.keys(entry).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) {
    throw new DriftError(`${named} has an unknown key "${unknown}".${didYouMean(unknown, KEYS)}`)
  }
  const { id, reason } = entry
  if (typeof id !== 'string' || id.trim() === '') {
    throw new DriftError(`${named} has no "id". ${ENTRIES}.`)
  }
  if (reason !== undefined && typeof reason !== 'string') {
    throw new DriftError(`${named} has the reason ${shortText(reason)}. It takes a text.`)
  }
  return { id: id.trim(), reason }
}

/** What was compared. An entry for another part is not stale. */
export interface ComparedParts {
  readonly document: boolean
  readonly recording: boolean
}

/** The start of the ids of differences in a recording. */
export const RECORDED = 'recorded-'

/** Applies an allow list to the differences. */
export function sortDifferences(
  differences: readonly Difference[],
  entries: readonly AllowEntry[],
  parts: ComparedParts,
): SortedDifferences {
  const used = new Set<AllowEntry>()
  const sorted = differences.map((difference) => {
    const matching = entries.filter(({ id }) => matchesId(difference.id, id))
    for (const entry of matching) used.add(entry)
    const [allowed] = matching
    return allowed ? { ...difference, allowed } : difference
  })
  const isCompared = ({ id }: AllowEntry): boolean => {
    if (id.startsWith(RECORDED)) return parts.recording
    return id.startsWith('*') ? parts.recording && parts.document : parts.document
  }
  return {
    differences: sorted,
    stale: entries.filter((entry) => !used.has(entry) && isCompared(entry)),
  }
}

/** Whether an id fits a pattern. Ids have brackets and braces, so only the star is special. */
function matchesId(id: string, pattern: string): boolean {
  return pattern === id || matchesGlob(id, pattern.replaceAll(/[\\?[{!]/g, '\\$&'))
}

/** The reason of entries that the command writes. */
export const WRITTEN_REASON = 'accepted by --update-allow'

/**
 * Returns the text of an allow list without stale entries, and with entries for differences that no entry allows. Comments
 * and other entries stay.
 */
export async function updatedAllowList(
  text: string,
  label: string,
  { differences, stale }: SortedDifferences,
): Promise<string> {
  const open = differences.filter(({ allowed }) => allowed === undefined)
  const added = [...new Set(open.map(({ id }) => id))].map((id) => ({ id, reason: WRITTEN_REASON }))
  const gone = new Set(stale.map(({ id }) => id))
  if (/\.json$/i.test(label)) {
    const entries = (await parseAllowList(text, label)).filter(({ id }) => !gone.has(id))
    return `${JSON.stringify([...entries, ...added], null, 2)}\n`
  }
  const { parseDocument, isMap, isSeq, YAMLSeq } = await import('yaml')
  const document = parseDocument(text)
  if (!isSeq(document.contents)) document.contents = new YAMLSeq() as never
  const list = document.contents as unknown as { items: unknown[]; flow?: boolean }
  list.flow = false
  list.items = list.items.filter((item) => !isMap(item) || !gone.has(String(item.get('id')).trim()))
  for (const entry of added) list.items.push(document.createNode(entry))
  return document.toString({ lineWidth: 0 })
}
