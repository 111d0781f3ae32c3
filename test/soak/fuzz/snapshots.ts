import type { Snapshot } from '../../../src/index.js'
import { readSnapshotText } from '../../../src/emulator/adapters/snapshot-file.js'
import type { Draw } from '../../support/draw.js'
import { ask } from './read-all.js'
import { richWorlds } from '../../emulator/rich-worlds.js'
import { opened, sealed, type Opened } from '../../support/snapshots.js'
import { kindOf, type StartKind, type Verdict } from './kind.js'
import {
  drawEdits,
  drawMutations,
  drawPath,
  edited,
  mutated,
  type Edit,
  type Mutation,
  type Path,
} from './mutations.js'
import { assertSame, emptyEmulator, stateOf, useWorld, verdictOf } from './look.js'

interface SnapshotInput {
  /** The name of a rich world. */
  readonly of: string
  /** `records` keeps the digest right, so that the records themselves are checked. */
  readonly what: 'records' | 'envelope' | 'text'
  readonly by: 'restore' | 'put' | 'file'
  readonly mutations: readonly Mutation[]
  readonly edits: readonly Edit[]
}

/** A refusal of records names their fields, each in a line. What is nested too deeply is not read. */
const FIELD = /\n {2}(?:records|secrets)(?:\[\d+\]|:)|^The body is not JSON\.$/

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
    const snapshot = await emulator.snapshot()
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

  function placeIn(draw: Draw, { content, kinds }: World): Path {
    const [part, index] = draw.oneOf(draw.oneOf(kinds)) as ['records' | 'hidden', number]
    return [part, index, ...drawPath(draw, content[part][index])]
  }

  /** The value that an input is, or its text. */
  function contentOf({ of, what, mutations, edits }: SnapshotInput): unknown {
    const { content, snapshot } = worlds[of]!
    if (what === 'text') return edited(JSON.stringify(snapshot), edits)
    if (what === 'envelope') return mutated(JSON.parse(JSON.stringify(snapshot)), mutations)
    return sealed(mutated(content, mutations) as Opened)
  }

  return kindOf<SnapshotInput>({
    draw(draw) {
      const of = draw.oneOf(names)
      const world = worlds[of]!
      const what = draw.isHit(0.8) ? 'records' : draw.oneOf(['envelope', 'text'] as const)
      const by = draw.isHit(0.1) ? draw.oneOf(['put', 'file'] as const) : 'restore'
      const inCode = what === 'envelope' && by === 'restore'
      const place = what === 'records' ? () => placeIn(draw, world) : undefined
      const mutations = drawMutations(draw, world.snapshot, { ...(place && { place }), inCode })
      return { of, what, by, mutations, edits: what === 'text' ? drawEdits(draw) : [] }
    },

    async attempt(input) {
      const verdict = await attempt(input)
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
  })

  async function attempt(input: SnapshotInput): Promise<Verdict> {
    const content = contentOf(input)
    const text = typeof content === 'string' ? content : undefined
    if (input.by === 'put') return put(text ?? JSON.stringify(content), input.what)
    if (text === undefined && input.by === 'restore') {
      return verdictOf(() => emulator.restore(content))
    }
    return verdictOf(async () => {
      const written = text ?? JSON.stringify(content)
      emulator.restore((await readSnapshotText(written, 'the file')).snapshot)
    })
  }

  async function put(body: string, what: SnapshotInput['what']): Promise<Verdict> {
    const { status, body: answer } = await ask(emulator, 'PUT /_emulator/snapshot', body)
    if (status === 200) return 'accepted'
    const isNamed = what !== 'records' || FIELD.test((JSON.parse(answer) as Refusal).detail)
    if ([400, 409, 422].includes(status) && isNamed) return 'refused'
    throw new Error(`PUT /_emulator/snapshot: ${status} ${answer}`)
  }
}
