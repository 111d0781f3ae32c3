import type { JsonSchema } from '../answer-format.js'
import type { ListShape, ScoreShape } from './shape.js'

/** A request that asks a model to score texts. */
export type Judging = JudgingBase &
  ({ kind: 'list'; shape: ListShape } | { kind: 'single'; shape: ScoreShape })

interface JudgingBase {
  /** The `model` of the request. */
  model: string
  /** The schema that the answer must match, and its path in the request. */
  schema: JsonSchema
  at: string
  /** The tool that the request demands, if the answer is its arguments. */
  tool: string | undefined
  /** The judged texts by their ids. The only text of a single score has the id ''. */
  judged: ReadonlyMap<string, string>
  /** Gets the score of each text, as the trace shows it. */
  given: Map<string, string>
  /** The lowest and the highest score that the prompt asks for. */
  scale: readonly [number, number] | undefined
  /** Writes a single score as the prompt asks. Undefined: the answer is JSON. */
  write?: ((score: string) => string) | undefined
  /** Whether a prompt without a schema asks for a whole number. Undefined: the schema says it. */
  isWhole?: boolean | undefined
}
