import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSurelyValid } from '../../src/service/engine/snapshot/quick-check.js'
import { recordSchema } from '../../src/service/engine/snapshot/record-schema.js'
import type { WorldRecord } from '../../src/service/engine/snapshot/records.js'
import type { SavedDelivery } from '../../src/webhooks/sending/delivery.js'
import {
  isSurelyValidPiece,
  pieceSchema,
} from '../../src/webhooks/sending/saved-webhooks-schema.js'
import { richWorlds } from '../support/rich-worlds.js'
import { opened } from '../support/snapshots.js'
import { odd, runs } from '../support/values.js'

const saved: WorldRecord[] = []
for (const make of Object.values(richWorlds)) {
  await using emulator = await make()
  const { records, hidden } = opened(await emulator.snapshot())
  saved.push(...records, ...hidden)
}

/** The kinds of records that a world has several of for each job. */
const MANY = ['checkpoint', 'progress', 'job', 'delivery', 'fired', 'webhook', 'automation']

function kindOf(record: WorldRecord): string {
  return record.kind === 'outgoing' ? record.key.split(' ', 1)[0]! : record.kind
}

function isSure(record: WorldRecord): boolean {
  return isSurelyValidPiece(record) || isSurelyValid(record)
}

/** The rule of a job is checked by itself. */
function withoutRule(record: WorldRecord): WorldRecord {
  return record.kind === 'job' && typeof record.rule === 'object' ? { ...record, rule: 0 } : record
}

interface Objects {
  [key: string]: Objects
}

function objectsIn(value: unknown): Objects[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Objects, ...Object.values(value).flatMap(objectsIn)]
}

const changed = fc
  .record({
    record: fc.oneof(
      ...MANY.map((kind) => fc.constantFrom(...saved.filter((each) => kindOf(each) === kind))),
    ),
    object: fc.nat(),
    field: fc.nat(),
    how: fc.constantFrom('replace', 'delete', 'rename', 'move', 'nothing'),
    value: fc.oneof(odd, fc.integer(), fc.constantFrom('ended', 'queued', 1e9, 1.5)),
  })
  .map(({ record, object, field, how, value }) => {
    const copy = JSON.parse(JSON.stringify(withoutRule(record))) as WorldRecord
    const objects = objectsIn(copy)
    const parent = objects[object % objects.length]!
    const key = Object.keys(parent)[field % Object.keys(parent).length] ?? '0'
    const before = parent[key]!
    if (how === 'replace') parent[key] = value as Objects
    else if (how !== 'nothing') delete parent[key]
    if (how === 'rename') parent[`${key}s`] = before
    if (how === 'move') parent[key] = before
    return JSON.parse(JSON.stringify(copy)) as WorldRecord
  })

describe('the quick check of a record', () => {
  it('accepts only what the schema accepts without a change', () => {
    const accepted = new Map<string, number>()
    fc.assert(
      fc.property(changed, (record) => {
        if (!isSure(record)) return
        const isPiece = record.kind === 'outgoing'
        const schema = isPiece ? pieceSchema(record.key) : recordSchema({ ...record })
        const read = schema!.safeParse(record)
        expect(read.error).toBeUndefined()
        expect(read.data).toEqual(record)
        // A restored world is saved with the same bytes. The webhooks keep what they read.
        if (!isPiece) expect(JSON.stringify(read.data)).toBe(JSON.stringify(record))
        accepted.set(kindOf(record), (accepted.get(kindOf(record)) ?? 0) + 1)
      }),
      runs(3000) as fc.Parameters<[WorldRecord]>,
    )
    expect(MANY.filter((kind) => (accepted.get(kind) ?? 0) < 30)).toEqual([])
  })

  it('knows the records of jobs that are over, as the emulator writes them', () => {
    const usual = saved.filter((record) => {
      if (record.kind === 'outgoing' && kindOf(record) === 'delivery') {
        const { automation, tampering } = record.kept as SavedDelivery
        return !automation.startsWith('trigger ') && Object.keys(tampering).length === 0
      }
      if (record.kind === 'progress') return ['ended', 'failed'].includes(record.state.status)
      return MANY.includes(kindOf(record))
    })
    expect(new Set(usual.map(kindOf))).toEqual(new Set(MANY))
    expect(usual.filter((record) => !isSure(record))).toEqual([])
  })
})
