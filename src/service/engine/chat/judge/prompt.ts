import { contentText, type ChatMessage } from '../../../scenario/chat-facts.js'
import type { ListShape } from './shape.js'

/** Returns the judged texts of a prompt by their ids. Undefined if it names no ids. */
export function findJudged(
  messages: readonly ChatMessage[],
  shape: ListShape,
): ReadonlyMap<string, string> | undefined {
  const prompts = promptsIn(messages)
  const tags = findTags(prompts, shape.id)
  const ids = shape.ids ?? findListed(prompts, tags) ?? [...tags.keys()]
  const fit = shape.hasNumericIds ? ids.filter((id) => /^-?\d{1,15}$/.test(id)) : ids
  if (fit.length === 0) return undefined
  // A text that is not marked: the whole prompt and the id stand for it.
  const whole = (id: string): string => `${id}\n${prompts.join('\n')}`
  return new Map(fit.map((id) => [id, tags.get(id) ?? whole(id)]))
}

/** The texts of a prompt, without the messages of the model: a judge may be asked again. */
export function promptsIn(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role !== 'assistant').map(contentText)
}

const TAG = /<([A-Za-z][\w.:-]{0,63})(\s[^<>]{1,500})>/g
const ID = /(?:^|[\s_-])(?:id|index)\s*=\s*(?:"([^"]{1,128})"|'([^']{1,128})')/i

type TaggedTexts = ReadonlyMap<string, string>

/** Finds texts such as `<text id="1">…</text>`. Of several tags, chooses the one that the id is named after. */
function findTags(prompts: readonly string[], idName: string): TaggedTexts {
  const byTag = new Map<string, Map<string, string>>()
  for (const prompt of prompts) {
    const unclosed = new Set<string>()
    let end = 0
    for (const { 0: opening, 1: tag = '', 2: attributes = '', index } of prompt.matchAll(TAG)) {
      const found = index < end ? null : ID.exec(attributes)
      const id = found?.[1] ?? found?.[2]
      if (id === undefined) continue
      const start = index + opening.length
      const close = unclosed.has(tag) ? -1 : prompt.indexOf(`</${tag}>`, start)
      if (close === -1) unclosed.add(tag)
      else end = close
      const texts = byTag.get(tag) ?? new Map<string, string>()
      byTag.set(tag, texts)
      if (!texts.has(id)) texts.set(id, close === -1 ? '' : prompt.slice(start, close).trim())
    }
  }
  const named = [...byTag].find(([tag]) => idName.toLowerCase().startsWith(tag.toLowerCase()))
  const largest = [...byTag.values()].toSorted((a, b) => b.size - a.size)[0]
  return named?.[1] ?? largest ?? new Map()
}

const EXPECTED = /\b(?:exactly|expected)\s+(\d{1,6})\b/i
const LISTED = /\bids?\b[^\n:]{0,200}:[ \t]*\n?[ \t]*([^\n]{1,50000})/gi
const LISTED_ID = /^[\w.#/-]{1,64}$/

/** Finds a list of ids after a colon: `for each of these text IDs:` and `1, 2, 3` on the next line. */
function findListed(prompts: readonly string[], tags: TaggedTexts): string[] | undefined {
  for (const prompt of prompts) {
    const expected = Number(EXPECTED.exec(prompt)?.[1] ?? Number.NaN)
    for (const [, list = ''] of prompt.matchAll(LISTED)) {
      const ids = idsIn(list)
      if (!ids) continue
      const isMeant = tags.size > 0 ? ids.every((id) => tags.has(id)) : ids.length === expected
      if (isMeant) return [...new Set(ids)]
    }
  }
  return undefined
}

function idsIn(list: string): string[] | undefined {
  const plain = list.replaceAll(/["'`[\]]/g, '').trim()
  const ids = plain.replace(/[.;]$/, '').split(/,(?:\s*and\s)?|\sand\s/)
  const trimmed = ids.map((id) => id.trim())
  return trimmed.every((id) => LISTED_ID.test(id)) ? trimmed : undefined
}

const SCALE =
  /\b(?:scor|rat|grad|mark|reward|number|scale|point|integer|digit|float|decimal|value)[^\n.]{0,80}?\b(?:between|from|of)?\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*(?:and|to|or|-|–)\s*(-?\d{1,6}(?:\.\d{1,6})?)\b/i

const STARS = /(?<![\w.])(\d{1,3})\s*(?:to|-|–)\s*(\d{1,3})\s+(?:stars?|points?)\b/i

/** Finds the range of scores that a prompt asks for: `a score between 0 and 1`. */
export function findScale(messages: readonly ChatMessage[]): readonly [number, number] | undefined {
  for (const text of instructionsIn(messages)) {
    const [, from, to] = SCALE.exec(text) ?? STARS.exec(text) ?? []
    if (from !== undefined && Number(from) < Number(to)) return [Number(from), Number(to)]
  }
  return undefined
}

/** A regular expression of the verbs with which instructions ask for an answer. */
export const INSTRUCTED =
  '\\b(?:respond|reply|return|output|answer|format|end|finish|conclude|write|print|provide|give|say|state|produce)\\b'

/** The texts of a prompt that may have instructions: those are at its beginning and at its end. */
export function instructionsIn(messages: readonly ChatMessage[]): string[] {
  return promptsIn(messages).flatMap((prompt) => {
    if (prompt.length <= 2 * LONGEST_INSTRUCTIONS) return [prompt]
    return [prompt.slice(0, LONGEST_INSTRUCTIONS), prompt.slice(-LONGEST_INSTRUCTIONS)]
  })
}

const LONGEST_INSTRUCTIONS = 20_000
