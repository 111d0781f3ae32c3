import type OpenAI from 'openai'

/** The score of a text, as a judge answers it. */
export interface Score {
  trajectory_id: string
  explanation: string
  score: number
}

/** The schema of a judge that scores several texts, as clients send it. */
export const scoresSchema = {
  type: 'object',
  properties: { scores: { type: 'array', items: { $ref: '#/$defs/TrajectoryScore' } } },
  required: ['scores'],
  additionalProperties: false,
  $defs: {
    TrajectoryScore: {
      type: 'object',
      properties: {
        trajectory_id: { type: 'string', description: 'The id of the trajectory.' },
        explanation: { type: 'string' },
        score: { type: 'number' },
      },
      required: ['trajectory_id', 'explanation', 'score'],
      additionalProperties: false,
    },
  },
}

export type Message = OpenAI.ChatCompletionMessageParam

/** The prompt of a judge, as the client of the service writes it. */
export function judgePrompt(answers: readonly string[]): Message[] {
  const ids = answers.map((_, index) => String(index + 1))
  const texts = answers.map((content, index) => {
    const messages = JSON.stringify([{ role: 'assistant', content }])
    return `<trajectory id="${ids[index]}">\n${messages}\n</trajectory>`
  })
  const count = ids.length === 1 ? '1 score object' : `${ids.length} score objects`
  return [
    {
      role: 'system',
      content: `Give each of them a score between 0 and 1.\n\nReturn exactly ${count},\none for each of these trajectory IDs, with no duplicates or omissions:\n${ids.join(', ')}\n`,
    },
    {
      role: 'user',
      content: `<context>\n[{"role": "user", "content": "Is it \\"yes\\"?"}]\n</context>\n\nTrajectories:\n\n${texts.join('\n\n')}`,
    },
  ]
}

export function formatOf(schema: Record<string, unknown>): OpenAI.ResponseFormatJSONSchema {
  return { type: 'json_schema', json_schema: { name: 'Response', strict: true, schema } }
}

/** A request that asks a judge for the scores of answers. */
export function judgeRequest(
  answers: readonly string[],
): Pick<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model' | 'messages' | 'response_format'> {
  const response_format = formatOf(scoresSchema)
  return { model: 'any-judge', messages: judgePrompt(answers), response_format }
}

export function scoresIn(content: string | null): Score[] {
  return (JSON.parse(content!) as { scores: Score[] }).scores
}
