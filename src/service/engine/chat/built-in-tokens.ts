import type { Drift } from '../../scenario/scenario.js'
import { tokensText } from './answer.js'
import type { ChatParams } from './chat-params.js'
import { driftedMessages, driftedTools } from './drift.js'
import {
  haveSameIds,
  type AnswerTexts,
  type AnswerTokens,
  type ModelTokens,
  type Prompt,
  type Rendering,
} from './model-tokens.js'
import { idsIn, pieceCharacters, tokensIn } from './prompt.js'
import { callFrame, conversationPieces, promptPieces } from './template.js'
import { END, type Token } from './token.js'
import { Tokenizer } from './tokenizer.js'

/** The longest token of the encoding: 128 spaces. */
const MOST_CHARACTERS = 128

/** The encoding and the template of models without a tokenizer of their own. Each part of a text is split alone. */
export class BuiltInTokens implements ModelTokens {
  readonly mostCharacters = MOST_CHARACTERS
  readonly #tokenizer = new Tokenizer()
  readonly alternatives: readonly Token[] = this.#tokenizer.alternatives
  readonly split = (text: string): readonly Token[] => this.#tokenizer.split(text)
  readonly formatArguments = (json: string): string => json
  readonly count: ModelTokens['count'] = (conversation, { most }) =>
    tokensIn(conversationPieces(conversation), this.#tokenizer, most)

  prompt(given: ChatParams, { drift }: Rendering): Prompt {
    const tokenizer = this.#tokenizer
    const params = drift ? drifted(given, drift) : given
    return {
      characters: () => pieceCharacters(promptPieces(params)),
      count: (most) => tokensIn(promptPieces(params), tokenizer, most),
      ids: () => idsIn(promptPieces(params), tokenizer),
      sample: (answer) => this.#sample(answer),
      areStable: (tokens) => haveSameIds(tokens, this.split(tokensText(tokens))),
    }
  }

  #sample({ content = '', refusal = '', calls }: AnswerTexts): AnswerTokens {
    return {
      content: this.split(content),
      refusal: this.split(refusal),
      calls: calls.map(({ name, arguments: args }) => {
        const { head, tail } = callFrame(name)
        return { head: this.split(head), tokens: this.split(args), tail: this.split(tail) }
      }),
      end: [END],
    }
  }
}

function drifted(params: ChatParams, drift: Drift): ChatParams {
  const { messages, body } = params
  const { tools } = body
  return {
    ...params,
    messages: driftedMessages(messages, drift),
    body: { ...body, ...(Array.isArray(tools) && { tools: driftedTools(tools, messages, drift) }) },
  }
}
