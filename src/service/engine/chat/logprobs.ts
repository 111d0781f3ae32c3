import type { Draws } from './draws.js'
import type { Token } from './token.js'

/** A token with its log probability, as on the wire. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[]
  top_logprobs: Omit<TokenLogprob, 'top_logprobs'>[]
}

interface Drawing {
  draws: Draws
  /** The number of alternatives for each token. */
  top: number
  /** Whether tokens are named by their ids. */
  byId: boolean
  /** Tokens that could have been there instead. */
  alternatives: readonly Token[]
}

const encoder = new TextEncoder()

function bytesOf(text: string): number[] {
  return [...encoder.encode(text)]
}

/** Draws the log probabilities of tokens. Each token is the first of its own alternatives. */
export function logprobsOf(
  tokens: readonly Token[],
  { draws, top, byId, alternatives }: Drawing,
): TokenLogprob[] {
  const nameOf = ({ id, text, whole = text }: Token): string => {
    return byId ? `token_id:${id}` : whole
  }
  return tokens.map((token, index) => {
    const share = 0.5 + 0.5 * draws.unit('logprobs', index)
    const logprob = logOf(share)
    const others = othersThan(token, {
      from: draws.word('logprobs', index),
      count: top - 1,
      alternatives,
    })
    const ranked = [
      { token, logprob },
      ...others.map((other, rank) => {
        return { token: other, logprob: logOf((1 - share) / 2 ** (rank + 1)) }
      }),
    ]
    return {
      token: nameOf(token),
      logprob,
      // The bytes of the text, even if the token is named by its id. An alternative has the bytes of its name.
      bytes: bytesOf(token.whole ?? token.text),
      // Always a list. Clients turn a missing list into null, and a trajectory that contains a choice with null is
      // refused (docs/explain/contract.md#chat-completions).
      top_logprobs: ranked.slice(0, top).map((each) => {
        const name = nameOf(each.token)
        return { token: name, logprob: each.logprob, bytes: bytesOf(name) }
      }),
    }
  })
}

function othersThan(
  token: Token,
  { from, count, alternatives }: { from: number; count: number; alternatives: readonly Token[] },
): Token[] {
  const others = alternatives.filter(({ id }) => id !== token.id)
  if (others.length === 0) return []
  return Array.from(
    { length: Math.max(0, count) },
    (_, rank) => others[(from + rank) % others.length]!,
  )
}

function logOf(share: number): number {
  // The logarithm of 0 is minus infinity, which JSON cannot write.
  return Math.round(Math.log(Math.max(share, 1e-9)) * 1e6) / 1e6
}
