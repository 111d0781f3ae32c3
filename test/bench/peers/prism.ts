interface Document {
  paths: Record<string, Record<string, { responses: { 200: { content: object } } }>>
}

/** The OpenAPI document of the emulator, with a record as an example. */
export function prismDocument(document: Record<string, unknown>, example: object): object {
  const copy = structuredClone(document) as unknown as Document
  const { responses } = copy.paths['/v1/preview/training-jobs/{training_job_id}']!['get']!
  const { 'application/json': described } = responses[200].content as Record<string, object>
  responses[200].content = { 'application/json': { ...described, example } }
  return copy
}
