import type { Judged } from './hunt.js'
import type { Answer } from './socket.js'

/** The verdicts of a run. */
export interface Tally {
  readonly count: number
  readonly same: number
  /** Same, or a documented choice. */
  readonly explained: number
  /** How often each choice was met. */
  readonly choices: Readonly<Record<string, number>>
  /** How many requests each family has. */
  readonly families: Readonly<Record<string, number>>
  readonly unexplained: readonly Judged[]
}

export function tally(judged: readonly Judged[]): Tally {
  const { same = 0, unexplained: _, ...choices } = countOf(judged.map(({ verdict }) => verdict))
  const unexplained = judged.filter(({ verdict }) => verdict === 'unexplained')
  return {
    count: judged.length,
    same,
    explained: judged.length - unexplained.length,
    choices,
    families: countOf(judged.map(({ request }) => request.family)),
    unexplained,
  }
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** A case in words: what was sent, and both answers. */
export function explain(judged: Judged): string {
  const { family, index, bytes } = judged.request
  const { framework, emulator } = texts(judged)
  return [
    `request ${index} (${family})`,
    `  printf '${printable(bytes)}' | nc 127.0.0.1 8000`,
    `  framework: ${framework}`,
    `  emulator:  ${emulator}`,
  ].join('\n')
}

/** Both answers, from a little before the place where they differ. */
function texts({ theirs, ours }: Judged): { framework: string; emulator: string } {
  const [their, our] = [theirs, ours].map(
    (each) => each.map(answerText).join(' + ') || 'no answer',
  ) as [string, string]
  let same = 0
  while (same < their.length && their[same] === our[same]) same++
  const from = same > LONGEST / 2 ? same - 100 : 0
  return { framework: excerpt(their, from), emulator: excerpt(our, from) }
}

function excerpt(text: string, from: number): string {
  const part = text.slice(from, from + LONGEST)
  return `${from > 0 ? '… ' : ''}${part}${from + LONGEST < text.length ? ' …' : ''}`
}

function answerText({ status, headers, body }: Answer): string {
  const shown = ['content-type', 'allow', 'location', 'www-authenticate'].flatMap((name) => {
    const value = headers.get(name)
    return value === undefined || value === 'application/json' ? [] : [`${name}: ${value}`]
  })
  return [status, ...shown, body.toString()].join(' ')
}

const LONGEST = 500

/** Bytes for `printf` in a shell. */
function printable(bytes: Buffer): string {
  const text = Array.from(bytes.subarray(0, LONGEST_REQUEST), (byte) => {
    const character = String.fromCharCode(byte)
    if (character === '\r') return '\\r'
    if (character === '\n') return '\\n'
    if (character === '%') return '%%'
    if (byte >= 0x20 && byte < 0x7f && !"'\\".includes(character)) return character
    return `\\x${byte.toString(16).padStart(2, '0')}`
  }).join('')
  return bytes.length <= LONGEST_REQUEST ? text : `${text}… (${bytes.length} bytes)`
}

const LONGEST_REQUEST = 3000
