import type { Chance } from '../world/random.js'

/** What a chat request asks for, as far as the plain answer heeds it. */
export interface AnswerRequest {
  model: string
  messages: readonly Readonly<Record<string, unknown>>[]
  choice: number
  maxTokens?: number | undefined
}

export interface Answer {
  /** The text, token by token: joined, they are the content. */
  tokens: string[]
  finishReason: 'stop' | 'length'
}

const WORDS =
  'a an and any as at batch best better between can change check clear each early epoch even ' +
  'fair few first fit for from good gradient grows has here if in is it its keep later learn less ' +
  'likely loss mean model more most near next of on one only or other over plan point policy rate ' +
  'reward same sample seen shows small so some state step still stop task than that the then this ' +
  'through to token train true try turn under until use value very way weight well when which with'

const VOCABULARY = WORDS.split(' ')

/** A plain answer, the same for the same seed, model, messages and choice. */
export function plainAnswer(chance: Chance, request: AnswerRequest): Answer {
  const { model, messages, choice, maxTokens = Infinity } = request
  const prompt = JSON.stringify(messages)
  const draw = (index: number | string): number =>
    chance.unit('answer', model, prompt, choice, index)
  const length = 8 + Math.floor(draw('length') * 12)
  const words = Array.from(
    { length },
    (_, index) => VOCABULARY[Math.floor(draw(index) * VOCABULARY.length)]!,
  )
  const first = words[0]!
  const tokens = [
    first[0]!.toUpperCase() + first.slice(1),
    ...words.slice(1).map((word) => ` ${word}`),
    '.',
  ]
  if (tokens.length <= maxTokens) return { tokens, finishReason: 'stop' }
  return { tokens: tokens.slice(0, maxTokens), finishReason: 'length' }
}

/** An estimate, at four characters a token. */
export function promptTokens(messages: readonly unknown[]): number {
  return Math.max(1, Math.ceil(JSON.stringify(messages).length / 4))
}
