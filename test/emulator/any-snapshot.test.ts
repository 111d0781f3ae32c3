import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type Snapshot } from '../../src/index.js'
import { richWorlds } from '../support/rich-worlds.js'
import { opened, sealed, type Opened } from '../support/snapshots.js'
import { odd, runs } from '../support/values.js'
import { ask, readAll } from '../support/read-all.js'

const worlds: Record<string, Snapshot> = {}
for (const [name, make] of Object.entries(richWorlds)) {
  const emulator = await make()
  worlds[name] = await emulator.snapshot()
  await emulator.close()
}

type Path = readonly (string | number)[]

/** One way in which a snapshot is not what the emulator wrote. */
interface Mutation {
  /** The name of a rich world. */
  of: string
  path: Path
  how: 'replace' | 'delete' | 'add' | 'rename' | 'repeat' | 'swap'
  value: unknown
}

function places(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    path,
    ...Object.entries(value).flatMap(([key, each]) => {
      return places(each, [...path, Array.isArray(value) ? Number(key) : key])
    }),
  ]
}

/** The kind of a record. Tests pick a kind first, so that rare kinds are tested as often as others. */
function kindOf({ kind, key }: { kind: string; key?: string }): string {
  return kind === 'outgoing' ? `${kind} ${key!.split(' ', 1)[0]}` : kind
}

/** The places in a snapshot, grouped by the kind of their record. */
function placesByKind(snapshot: Snapshot): Path[][] {
  const found = new Map<string, Path[]>()
  for (const [part, records] of Object.entries(opened(snapshot))) {
    for (const [index, record] of (records as { kind: string }[]).entries()) {
      const kind = kindOf(record)
      found.set(kind, [...(found.get(kind) ?? []), ...places(record, [part, index])])
    }
  }
  return [...found.values()]
}

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  ...Object.entries(worlds).map(([name, snapshot]) =>
    fc.record({
      of: fc.constant(name),
      path: fc.oneof(...placesByKind(snapshot).map((paths) => fc.constantFrom(...paths))),
      how: fc.oneof(
        { weight: 3, arbitrary: fc.constant('replace' as const) },
        fc.constantFrom(...(['delete', 'add', 'rename', 'repeat', 'swap'] as const)),
      ),
      value: fc.oneof(
        fc.integer({ min: -2, max: 40 }),
        fc.constantFrom('1s', 'queued', 'poet', 1e9, true),
        odd,
      ),
    }),
  ),
)

function mutated({ of, path, how, value }: Mutation): Opened {
  const content = opened(worlds[of]!)
  // oxlint-disable-next-line typescript/no-explicit-any
  const parent = path.slice(0, -1).reduce<any>((found, key) => found[key], content)
  const key = path.at(-1)!
  const before: unknown = parent[key]
  if (how === 'replace') parent[key] = value
  else if (how === 'add') {
    if (Array.isArray(before)) before.push(value)
    else
      Object.defineProperty(Object(before), typeof value === 'string' ? value : 'extra', {
        value,
        enumerable: true,
      })
  } else if (Array.isArray(parent)) {
    const index = key as number
    if (how === 'delete') parent.splice(index, 1)
    else if (how === 'repeat') parent.splice(index, 0, before)
    else parent.splice(index, 2, ...parent.slice(index, index + 2).toReversed())
  } else {
    delete parent[key]
    if (how !== 'delete') parent[`${key}s`] = before
  }
  return content
}

function world(): Emulator {
  const send = (): Promise<{ status: number; body: string }> =>
    Promise.resolve({ status: 500, body: '' })
  return createEmulator({ clock: 'manual', send })
}

const PLACE = /\n {2}(?:records|secrets)(?:\[\d+\]|:)/

describe('a snapshot with any change', () => {
  it(
    'is refused with the name of a field, or restores a world that works',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(mutation, async (given) => {
          const emulator = world()
          const other = world()
          try {
            await emulator.jobs.start()
            const before = JSON.stringify(await emulator.snapshot())
            const content = sealed(mutated(given))
            const { status, body } = await ask(emulator, 'PUT /_emulator/snapshot', content)
            if (status !== 200) {
              expect({ status, body }).toMatchObject({ status: 400 })
              expect((JSON.parse(body) as { detail: string }).detail).toMatch(PLACE)
              expect(JSON.stringify(await emulator.snapshot())).toBe(before)
              return
            }
            await emulator.webhooks.idle()
            await readAll(emulator)
            await ask(emulator, 'POST /_emulator/clock/advance', { by: '90s' })
            await emulator.webhooks.idle()
            const settled = await ask(emulator, 'POST /_emulator/clock/settle', {
              within: '1h',
              most: 500,
            })
            expect([200, 409]).toContain(settled.status)
            await readAll(emulator)
            // As YAML it takes longer than all the rest.
            await ask(emulator, 'GET /_emulator/scenario')
            const again = await ask(emulator, 'GET /_emulator/snapshot')
            const restored = await ask(other, 'PUT /_emulator/snapshot', JSON.parse(again.body))
            expect(restored).toMatchObject({ status: 200 })
          } finally {
            await emulator.close()
            await other.close()
          }
        }),
        runs(60) as fc.Parameters<[Mutation]>,
      )
    },
  )

  it('is restored if nothing is changed', async () => {
    for (const snapshot of Object.values(worlds)) {
      const emulator = world()
      onTestFinished(() => emulator.close())
      const restored = await ask(emulator, 'PUT /_emulator/snapshot', snapshot)
      expect(restored).toMatchObject({ status: 200 })
      await readAll(emulator)
      const { records, hidden } = opened(snapshot)
      expect(sealed({ records, hidden })).toEqual(snapshot)
    }
  })
})
