import type { Snapshot } from '../../../src/index.js'
import { readSnapshotText } from '../../../src/emulator/adapters/snapshot-file.js'
import type { InputDraw } from './draws.js'
import { ask } from './read-all.js'
import { richWorlds } from '../../emulator/rich-worlds.js'
import { opened, sealed, type Opened } from '../../support/snapshots.js'
import type { StartKind, Verdict } from './kind.js'
import { edited, mutated, placeIn, type Path } from './mutations.js'
import { assertSame, emptyEmulator, stateOf, useWorld, verdictOf } from './look.js'

/** What of a snapshot is changed, and how it reaches the emulator. */
interface Way {
  /** `records` keeps the digest right, so that the records themselves are checked. */
  readonly what: 'records' | 'envelope' | 'text'
  readonly by: 'restore' | 'put' | 'file'
}

/** A refusal of records names their fields, each in a line. What is nested too deeply is not read. */
const FIELD = /\n {2}(?:records|secrets)(?:\[\d+\]|:)|^The body is not JSON\. It begins with /

interface Refusal {
  readonly detail: string
}

/** Rare kinds of records are drawn as often as others. */
function recordsByKind({ records, hidden }: Opened): Path[][] {
  const found = new Map<string, Path[]>()
  for (const [part, list] of Object.entries({ records, hidden })) {
    for (const [index, { kind, key }] of list.entries()) {
      const name = kind === 'outgoing' ? `${kind} ${String(key).split(' ', 1)[0]}` : String(kind)
      found.set(name, [...(found.get(name) ?? []), [part, index]])
    }
  }
  return [...found.values()]
}

interface World {
  snapshot: Snapshot
  content: Opened
  kinds: Path[][]
}

/** The rich worlds take a second to make. */
let prepared: Promise<Record<string, World>> | undefined

async function prepare(): Promise<Record<string, World>> {
  const worlds: Record<string, World> = {}
  for (const [name, make] of Object.entries(richWorlds)) {
    const emulator = await make()
    const snapshot = JSON.parse(JSON.stringify(await emulator.snapshot())) as Snapshot
    await emulator.close()
    const content = opened(snapshot)
    worlds[name] = { snapshot, content, kinds: recordsByKind(content) }
  }
  return worlds
}

/** Snapshots of rich worlds with changes: restored in process, sent to the control API, or read as a file. */
export const startSnapshots: StartKind = async () => {
  const worlds = await (prepared ??= prepare())
  const names = Object.keys(worlds)
  const [emulator, other, source] = [emptyEmulator(), emptyEmulator(), emptyEmulator()]
  await source.jobs.start()
  const initial = await source.snapshot()
  await source.close()
  emulator.restore(initial)
  let before = stateOf(emulator)

  return {
    async attempt(draw) {
      const world = worlds[draw.tell(draw.oneOf(names))]!
      const what = draw.tell(
        draw.isHit(0.2) ? draw.oneOf(['envelope', 'text'] as const) : 'records',
      )
      const by = draw.tell(draw.isHit(0.1) ? draw.oneOf(['put', 'file'] as const) : 'restore')
      const content = drawContent(draw, { world, what, by })
      const verdict = await tryContent(content, { what, by })
      if (verdict === 'refused') {
        assertSame(before, stateOf(emulator))
        return verdict
      }
      await useWorld(emulator, other)
      emulator.restore(initial)
      before = stateOf(emulator)
      return verdict
    },

    async end() {
      await emulator.close()
      await other.close()
    },
  }

  async function tryContent(content: unknown, { what, by }: Way): Promise<Verdict> {
    if (by === 'restore' && typeof content !== 'string') {
      return verdictOf(() => emulator.restore(content))
    }
    // Nothing may be left of it. Then the file is empty.
    const written = content === undefined ? '' : content
    const text = typeof written === 'string' ? written : JSON.stringify(written)
    if (by === 'put') return put(text, what)
    return verdictOf(async () => {
      emulator.restore((await readSnapshotText(text, 'the file')).snapshot)
    })
  }

  async function put(body: string, what: Way['what']): Promise<Verdict> {
    const { status, body: answer } = await ask(emulator, 'PUT /_emulator/snapshot', body)
    if (status === 200) return 'accepted'
    const isNamed = what !== 'records' || FIELD.test((JSON.parse(answer) as Refusal).detail)
    if ([400, 409, 422].includes(status) && isNamed) return 'refused'
    throw new Error(`PUT /_emulator/snapshot: ${status} ${answer}`)
  }
}

/** The value that an input is, or its text. */
function drawContent(draw: InputDraw, { world, what, by }: Way & { world: World }): unknown {
  const { content, kinds, snapshot } = world
  if (what === 'text') return edited(draw, JSON.stringify(snapshot))
  if (what === 'envelope') return mutated(draw, snapshot, { inCode: by === 'restore' })
  const place = ([kind = 0, which = 0, ...inside]: readonly number[]): Path => {
    const alike = kinds[kind % kinds.length]!
    const [part, index] = alike[which % alike.length] as ['records' | 'hidden', number]
    return [part, index, ...placeIn(content[part][index], inside)]
  }
  return sealed(mutated(draw, content, { place }) as Opened)
}
