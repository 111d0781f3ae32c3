import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { richWorlds } from './rich-worlds.js'
import { problemsIn } from '../support/compiled.js'
import { fieldsIn, optionalFields } from './saved-field-names.js'
import { opened, sealed, type Opened } from '../support/snapshots.js'
import { chat, createModel, startJob } from '../support/trainer.js'

/**
 * A field that older worlds lack is optional when a world is read. So nothing else notices if its writer forgets it:
 * the world loads, and the field has its default.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- Tests change records to others.
type AnyRecord = any

/** Gives fields to a record that no world here has by itself. */
interface Change {
  kind: string
  where?: (record: AnyRecord) => boolean
  change: (record: AnyRecord) => void
}

const isRunning = ({ state, upcoming }: AnyRecord): boolean => {
  return state.status === 'running' && upcoming !== undefined
}
const next = (upcoming: object, where = isRunning): Change => ({
  kind: 'progress',
  where,
  change: (record) => (record.upcoming = { ...upcoming, after: 1000, paused: true }),
})
const options = {
  metrics: { 'val/x': 1 },
  served_after: '1s',
  evicted_after: '2s',
  expires_after: '3s',
}
const ofDelivery = (has: (kept: AnyRecord) => boolean) => (record: AnyRecord) =>
  record.key.startsWith('delivery ') && has(record.kept)

const changes: Change[] = [
  {
    kind: 'artifact_use',
    change(record) {
      record.logs = true
      record.key += ' logs'
    },
  },
  { kind: 'world', change: (record) => (record.forgotten_jobs = 3) },
  {
    kind: 'job',
    change: ({ submission }) =>
      Object.assign(submission, {
        learningRate: [0.1],
        flaw: 'a flaw',
        nothingToTrain: 'a reason',
      }),
  },
  {
    kind: 'progress',
    where: isRunning,
    change(record) {
      record.state.stalled = { remaining: 5, until: 'read' }
      delete record.due
    },
  },
  next(
    { event: 'training_started', data: {} },
    ({ upcoming }) => upcoming?.event === 'training_started',
  ),
  next({ event: 'gradient_step' }),
  next({ event: 'checkpoint', checkpoint: { event: 'checkpoint', after: '1s', ...options } }),
  next({ event: 'stall', until: 'read' }),
  next({ event: 'training_ended', checkpoint: options }),
  next({ event: 'training_failed', error_message: 'failed' }),
  {
    kind: 'faults',
    change({ faults }) {
      const [added] = faults.filter((each: AnyRecord) => each.added)
      added.added.scope = { key: 'a key', user: 'ann', model: 'poet' }
    },
  },
  {
    kind: 'lessons',
    change({ lessons: { lessons } }) {
      const tool_calls = [{ name: 'add', arguments: '{}' }]
      Object.assign(lessons[0][2], { content: 'four', refusal: 'no', tool_calls })
    },
  },
  { kind: 'mirrored', change: (record) => (record.aliases = [['best', 'an id']]) },
  {
    kind: 'sample',
    change: ({ sample }) =>
      Object.assign(sample, {
        isEdited: true,
        isOfJudge: true,
        split: 'val',
        drift: { at: 1, before: 2, now: 3 },
      }),
  },
  {
    kind: 'trained',
    change({ trained }) {
      const answer = {
        turn: 1,
        sample: 1,
        model: 'poet',
        step: 1,
        by: 'id',
        insteadOfAdapter: true,
      }
      const wrong = { changed: 'a text', cutOff: true, lostLogprobs: true, hidesTokens: true }
      const answerChanges = [{ was: 'a text', is: 'another' }, { why: 'it is' }]
      trained.needsLogprobs = true
      Object.assign(trained.groups[0].trajectories[0], {
        answers: [
          { ...answer, ...wrong },
          ...answerChanges.map((each) => ({ turn: 2, changed: each })),
        ],
        broken: [{ turn: 1, why: 'it is' }],
        failed: { what: 'chat', got: '503', isRepeated: true },
        duplicateOf: { job: 'another', group: 0, trajectory: 0 },
        isAmbiguous: true,
        split: 'val',
      })
    },
  },
  {
    kind: 'failed_chats',
    change(record) {
      record.chats[0][1].isRepeated = true
      record.judged = record.chats
    },
  },
  {
    kind: 'artifact',
    change: ({ artifact }) => Object.assign(artifact, { ttlSeconds: 60, historyStep: 1 }),
  },
  {
    kind: 'outgoing',
    where: ({ key }) => key.startsWith('webhook '),
    change: ({ kept }) => (kept.disabled = 'it answered 410'),
  },
  {
    kind: 'outgoing',
    where: ofDelivery(({ attempts }) => attempts.length > 0),
    change({ kept }) {
      kept.event.onlyInRegistry = true
      kept.tampering = { secret: 'wrong', body: 'altered', unsigned: true }
      kept.attempts[0].sent = true
      kept.attempts[0].copy = 2
      kept.attempts[0].url = 'http://127.0.0.1:9/earlier'
    },
  },
  {
    kind: 'outgoing',
    where: ofDelivery(({ toDo }) => toDo.length > 0),
    change: ({ kept }) => Object.assign(kept.toDo[0], { until: 'next', copy: 2 }),
  },
]

/** A world with a model that learns, whose checkpoints are artifacts, and a job that has not begun. */
async function learning(): Promise<Emulator> {
  const emulator = createEmulator({ scenario: 'learning-policy', clock: 'manual' })
  const client = clientOf(emulator)
  const { id } = await createModel(client, 'poet')
  await chat(client, 'What is 2 + 2?')
  emulator.faults.add({
    fault: 'status',
    status: 503,
    calls: 1,
    match: { operation: 'createChatCompletion' },
  })
  await chat(client, 'What is 2 + 3?')
  await startJob(client, id)
  emulator.clock.advance('1m')
  emulator.artifacts.list()
  await startJob(client, id)
  return emulator
}

const worlds: Opened[] = []
for (const make of [...Object.values(richWorlds), learning]) {
  await using emulator = await make()
  worlds.push(opened(await emulator.snapshot()))
}

/** Saves a world, restores it, and saves it again. */
async function savedAgain(world: Opened): Promise<Opened> {
  await using emulator = createEmulator({ clock: 'manual', snapshot: sealed(world) })
  await emulator.ready()
  return opened(await emulator.snapshot())
}

/** The records of a world. One with secrets follows the same one without them, and replaces it. */
function recordsOf({ records, hidden }: Opened): Map<string, AnyRecord> {
  return new Map(
    [...records, ...hidden].map((each) => [JSON.stringify([each.kind, each.key]), each]),
  )
}

function changed({ kind, where = () => true, change }: Change): Opened {
  const found = (world: Opened): AnyRecord => {
    return [...recordsOf(world).values()].find((record) => record.kind === kind && where(record))
  }
  const world = structuredClone(worlds.find(found))!
  change(found(world))
  return world
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

const survived = new Set<string>()
const lost = new Set<string>()
for (const world of [...worlds, ...changes.map(changed)]) {
  const again = recordsOf(await savedAgain(world))
  for (const [id, record] of recordsOf(world)) {
    for (const { name, path, value } of fieldsIn(record)) {
      const found = path.reduce((inner, key) => inner?.[key], again.get(id))
      if (!isDeepStrictEqual(found, value)) lost.add(name)
      // An empty value may be the default, which comes back although nothing was saved.
      else if (!isEmpty(value)) survived.add(name)
    }
  }
}

it('no field that older worlds lack is lost when a world is restored and saved again', () => {
  expect([...lost]).toEqual([])
})

it('each of them has a value in a world above: a new one needs a world, or a change', () => {
  expect(optionalFields().filter((name) => !survived.has(name))).toEqual([])
})

it('a writer that leaves one out does not compile', () => {
  expect(problemsIn([join(import.meta.dirname, 'saved-writers.test-d.ts')])).toEqual([])
})
