import type { Draws } from './draws.js'

/** A token and how likely it was, as the wire has it. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[]
  top_logprobs: Omit<TokenLogprob, 'top_logprobs'>[]
}

/** What might have stood there instead. */
// prettier-ignore
const OTHERS = [
  ' the', ' a', ' to', ' and', ' of', ' in', ' is', ' it', ',', '.', ' that', ' for', ' on', ' with',
  ' as', ' this', ' be', ' not', ' I', ' you', ' we', '\n', ':', ' or', ' at', ' by',
]

/** Drawn log probabilities. Of the alternatives, as many as asked for, the token itself is one. */
export function logprobsOf(
  tokens: readonly string[],
  { draws, top }: { draws: Draws; top: number },
): TokenLogprob[] {
  const encoder = new TextEncoder()
  const bytesOf = (token: string): number[] => [...encoder.encode(token)]
  return tokens.map((token, index) => {
    const share = 0.5 + 0.5 * draws.unit('logprobs', index)
    const own = { token, logprob: logOf(share), bytes: bytesOf(token) }
    const others = alternatives(token, { from: draws.word('logprobs', index), count: top - 1 })
    return {
      ...own,
      // A list even where none were asked for: a client turns an absent one into null, and null is
      // refused when the choice comes back inside a trajectory (contract facts, section 6.1).
      top_logprobs:
        top === 0
          ? []
          : [
              own,
              ...others.map((other, rank) => {
                const logprob = logOf((1 - share) / 2 ** (rank + 1))
                return { token: other, logprob, bytes: bytesOf(other) }
              }),
            ],
    }
  })
}

function alternatives(token: string, { from, count }: { from: number; count: number }): string[] {
  const others = OTHERS.filter((other) => other !== token)
  return Array.from(
    { length: Math.max(0, count) },
    (_, rank) => others[(from + rank) % others.length]!,
  )
}

function logOf(share: number): number {
  // A share of nothing at all would be minus infinity, for which JSON has no word.
  return Math.round(Math.log(Math.max(share, 1e-9)) * 1e6) / 1e6
}
