import { findPathProblem, removeAt, setAt } from '../../../../base/text/json-edit.js'
import { NonFiniteNumber, nonFiniteJson } from '../../../../base/text/non-finite.js'
import { readJson } from '../../../contract/answer-text.js'
import type { Chunk } from '../../../contract/exchange.js'
import { defineFault, type Answer } from '../definition.js'

export const edit = defineFault({
  schema: ({ faultSchema, array, record, string, union, json }) => {
    const description =
      'Changes fields of a JSON response. In a stream, it changes the fields of each event.'
    const path = string().superRefine((text, context) => {
      const problem = findPathProblem(text)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    return faultSchema('edit', description, {
      remove: union([path, array(path).min(1)])
        .optional()
        .meta({
          description:
            'The fields to remove: a path such as choices.*.logprobs, or a list of paths. `*` is every item, 0 the first and -1 the last one.',
          examples: ['choices.*.logprobs'],
        }),
      set: record(path, json)
        .optional()
        .meta({
          description:
            'New values of fields, by path, such as { usage.completion_tokens: 99 }. A field is set if what contains it exists.',
          examples: [{ 'usage.completion_tokens': 99 }],
        }),
    })
      .refine(({ remove, set }) => remove !== undefined || set !== undefined, {
        error: 'expected remove or set',
      })
      .meta({ description, examples: [{ fault: 'edit', remove: 'choices.*.logprobs' }] })
  },
  words: (rule) => ['edited', editText(rule)],
  survivable: false,
  damage: 'changed',
  unseen: ['remove', 'set'],
  apply(rule, { plan }) {
    plan.edits.push((answer) => edited(answer, rule))
    return formatEdit(rule)
  },
})

interface Edit {
  remove?: string | string[] | undefined
  set?: Readonly<Record<string, unknown>> | undefined
}

/** Says what an answer is like, if that takes a few words. */
function editText(rule: Edit): string {
  const { remove = [], set = {} } = rule
  const [removed, replaced] = [[remove].flat().length, Object.keys(set).length]
  if (removed + replaced > 1) return 'an answer with changed fields'
  return `an answer ${removed === 1 ? '' : 'with '}${formatEdit(rule)}`
}

/** Formats an edit: `without choices.*.logprobs; usage.completion_tokens: 99`. */
function formatEdit({ remove = [], set = {} }: Edit): string {
  const removed = [remove].flat().join(', ')
  const replaced = Object.entries(set).map(([path, value]) => `${path}: ${JSON.stringify(value)}`)
  return [...(removed === '' ? [] : [`without ${removed}`]), ...replaced].join('; ')
}

/** Changes fields of an answer. An answer that is not JSON stays as it is. */
function edited(answer: Answer, rule: Edit): Answer {
  if (answer.kind === 'response') {
    const body = editedText(answer.body, rule)
    return body === undefined ? answer : { ...answer, body }
  }
  const { chunks } = answer
  // Chunks that exist already stay synchronous: then they are sent many at a time.
  return {
    ...answer,
    chunks: Symbol.asyncIterator in chunks ? editedLater(chunks, rule) : editedEvents(chunks, rule),
  }
}

function* editedEvents(chunks: Iterable<Chunk>, rule: Edit): Generator<Chunk> {
  for (const chunk of chunks) yield editedEvent(chunk, rule)
}

async function* editedLater(chunks: AsyncIterable<Chunk>, rule: Edit): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) yield editedEvent(chunk, rule)
}

const DATA = /^data: (\{.*\})$/gm

function editedEvent(event: Chunk, rule: Edit): Chunk {
  if (typeof event !== 'string') return event
  return event.replaceAll(DATA, (line, json: string) => {
    const text = editedText(json, rule)
    return text === undefined ? line : `data: ${text}`
  })
}

/** Undefined if the text is not JSON. */
function editedText(text: string, { remove = [], set = {} }: Edit): string | undefined {
  const json = readJson(text, (number) => new NonFiniteNumber(number))
  if (!json) return undefined
  for (const path of [remove].flat()) removeAt(json.value, path)
  for (const [path, value] of Object.entries(set)) setAt(json.value, path, value)
  return nonFiniteJson(json.value)
}
