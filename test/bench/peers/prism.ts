/** The OpenAPI document of the emulator, with its answers as examples. */
import type { Answer, Answers } from '../answers.js'

interface Document {
  paths: Record<string, Record<string, { responses: { 200: { content: object } } }>>
}

export function prismDocument({ document, told }: Answers): object {
  const copy = structuredClone(document) as unknown as Document
  const jobs = '/v1/preview/training-jobs'
  addExample(copy.paths[`${jobs}/{training_job_id}`]!['get']!, told.get)
  addExample(copy.paths[jobs]!['post']!, told.post)
  addExample(copy.paths['/v1/chat/completions']!['post']!, told.chat)
  return copy
}

function addExample(
  { responses }: { responses: { 200: { content: object } } },
  { body }: Answer,
): void {
  const { schema } = (responses[200].content as Record<string, { schema: object }>)[
    'application/json'
  ]!
  const example = JSON.parse(body as string) as unknown
  responses[200].content = { 'application/json': { schema, example } }
}
