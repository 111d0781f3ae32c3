import type { Lesson } from '../chat/learner/lesson.js'
import type { ContentFrom, FieldsOf, RecordFields } from '../saved/record-fields.js'
import { SECRET, type KeyedRecord, type SavedPart } from '../saved/saved-part.js'
import type { Complete } from '../saved/complete.js'

function lessonsFields(fields: RecordFields) {
  const { strictObject, string, number, boolean, int, array, tuple, count } = fields
  const message: FieldsOf<Lesson>['message'] = strictObject({
    content: string().optional(),
    refusal: string().optional(),
    tool_calls: array(strictObject({ name: string(), arguments: string() })).optional(),
  } satisfies FieldsOf<Lesson['message']>)
  const lessons = strictObject({
    model: string(),
    step: count.optional(),
    /** The prompt, the reward, the message, and whether the answer was rewarded again, maybe less than before. */
    lessons: array(tuple([string(), number(), message, boolean()])),
    /** The kind, its number, and the sum of its rewards. */
    kinds: array(tuple([string(), int().positive(), number()])),
  })
  return { lessons: lessons.nullable() }
}

type LessonsContent = ContentFrom<typeof lessonsFields>

/** A saved batch. */
export type SavedLessons = NonNullable<LessonsContent['lessons']>

/** Null if it was forgotten. */
type LessonsRecord = KeyedRecord<'lessons', LessonsContent>

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
  fields: lessonsFields,
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
