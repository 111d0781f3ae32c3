import type { Lesson } from '../chat/learner/lesson.js'
import type { FieldsOf } from '../saved/record-fields.js'
import { SECRET, type KeyedRecord, type SavedPart } from '../saved/saved-part.js'
import type { Complete } from '../saved/complete.js'

/** A saved batch. `again` says that the answer was rewarded again, maybe less than before. */
export interface SavedLessons {
  model: string
  step?: number | undefined
  lessons: [prompt: string, reward: number, message: Lesson['message'], again: boolean][]
  kinds: [kind: string, count: number, sum: number][]
}

/** Null if it was forgotten. */
type LessonsRecord = KeyedRecord<'lessons', { lessons: SavedLessons | null }>

export interface LessonsWorld {
  readonly engine: {
    readonly lessons: {
      readonly ids: Iterable<string>
      saved: (job: string) => Complete<SavedLessons> | null
      restore: (job: string, lessons: SavedLessons) => void
    }
  }
}

/** What each job teaches its model. */
export const savedLessons: SavedPart<LessonsRecord, undefined, LessonsWorld> = {
  kind: 'lessons',
  fields({ strictObject, string, number, boolean, int, array, tuple, count }) {
    const message = strictObject({
      content: string().optional(),
      refusal: string().optional(),
      tool_calls: array(strictObject({ name: string(), arguments: string() })).optional(),
    } satisfies FieldsOf<Lesson['message']>)
    const lessons = strictObject({
      model: string(),
      step: count.optional(),
      lessons: array(tuple([string(), number(), message, boolean()])),
      kinds: array(tuple([string(), int().positive(), number()])),
    } satisfies FieldsOf<SavedLessons>)
    return { lessons: lessons.nullable() }
  },
  *all({ engine }) {
    for (const id of engine.lessons.ids) yield [id, undefined]
  },
  content: (_thing, key, { engine }) => ({ lessons: engine.lessons.saved(key) }),
  restore(records, { engine }) {
    for (const { key, lessons } of records) engine.lessons.restore(key, lessons!)
  },
  isGone: ({ lessons }) => lessons === null,
  mayBeSecret: SECRET.mayBeSecret,
}
