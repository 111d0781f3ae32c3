import { fromJson, TemplateError } from '../../contract/jinja/python.js'
import { toJson } from '../../contract/jinja/write.js'
import { Template } from '../../contract/jinja/template.js'
import type { TokenizerFiles } from '../../scenario/tokenizer-files.js'
import { sampledAnswer, type Continuation } from './answer-text.js'
import { BadField } from './bad-field.js'
import type { ChatParams } from './chat-params.js'
import { driftedMessages, driftedTools } from './drift.js'
import {
  sampledText,
  type AnswerTexts,
  type AnswerTokens,
  type ModelTokens,
  type Prompt,
  type Rendering,
} from './model-tokens.js'
import { OwnEncoding } from './own-encoding.js'
import { placeTokens } from './place-tokens.js'
import { charactersIn } from './prompt.js'
import {
  readsParts,
  templateMessages,
  templateTools,
  type TemplateMessage,
} from './template-messages.js'
import { ALTERNATIVES, type Token } from './token.js'

/** It can take a second to build one, and tests create many emulators. */
const built = new WeakMap<TokenizerFiles, OwnTokens>()

/**
 * Returns the tokens of a model that brings a tokenizer and a chat template.
 *
 * @throws {Error} When the tokenizer cannot be used.
 */
export function tokensFor(files: TokenizerFiles): ModelTokens {
  const known = built.get(files)
  if (known) return known
  const tokens = new OwnTokens(files)
  built.set(files, tokens)
  return tokens
}

/** The parts of a request that a template renders. */
type RenderedParams = Pick<ChatParams, 'messages' | 'body' | 'exact'>

class OwnTokens implements ModelTokens {
  readonly alternatives: readonly Token[]
  readonly #encoding: OwnEncoding
  readonly #main: Template
  readonly #withTools: Template
  /** The special tokens that a template can write, such as `eos_token`. */
  readonly #special: Readonly<Record<string, string>>

  constructor(files: TokenizerFiles) {
    const { config, templates } = files
    this.#encoding = new OwnEncoding(files)
    this.#main = new Template(templates.default)
    this.#withTools =
      templates.tool_use === undefined ? this.#main : new Template(templates.tool_use)
    this.#special = specialTokens(config)
    this.alternatives = ALTERNATIVES.flatMap((text) => this.split(text).slice(0, 1))
  }

  get mostCharacters(): number {
    return this.#encoding.mostCharacters
  }

  readonly split = (text: string): readonly Token[] => this.#encoding.split(text)

  readonly formatArguments = (json: string): string => toJson(fromJson(JSON.parse(json)))

  /** A conversation that the template refuses has no tokens. */
  readonly count: ModelTokens['count'] = ({ messages, body }, { most, now }) => {
    const whole = { messages, body: { ...body, add_generation_prompt: false } }
    const prompt = this.prompt(whole, { drift: undefined, now })
    return prompt instanceof BadField ? 0 : prompt.count(most)
  }

  prompt(params: RenderedParams, rendering: Rendering): Prompt | BadField {
    const request = this.#read(params, rendering)
    const { messages } = request
    try {
      const text = this.#render(request, messages, {
        add_generation_prompt: true,
        ...request.given,
      })
      return new OwnPrompt(text, {
        encoding: this.#encoding,
        end: this.#special['eos_token'],
        render: (some, more) => this.#render(request, some, more),
      })
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return BadField.worded(null, error.message)
    }
  }

  #read({ messages: read, body, exact }: RenderedParams, { drift, now }: Rendering): OwnRequest {
    // Templates write `1.0` otherwise than `1`.
    const sent = (exact?.() ?? { ...body, messages: read }) as SentBody
    const { messages, tools, chat_template_kwargs: kwargs, documents } = sent
    const { reasoning_effort: effort } = body
    const offered = Array.isArray(tools) && tools.length > 0 ? templateTools(tools) : null
    const template = offered ? this.#withTools : this.#main
    const asParts = readsParts(template.source)
    const { add_generation_prompt: opens } = body
    return {
      now,
      template,
      messages: templateMessages(driftedMessages(messages, drift), { asParts }),
      tools: offered && driftedTools(offered, messages, drift),
      variables: { ...(effort ? { reasoning_effort: effort } : {}), ...Object(kwargs) },
      documents: documents ?? null,
      given: { ...(typeof opens === 'boolean' && { add_generation_prompt: opens }) },
    }
  }

  #render(
    { template, tools, variables, documents, now }: OwnRequest,
    messages: readonly TemplateMessage[],
    more: object,
  ): string {
    const known = { messages, tools, documents, ...more }
    return template.render({ ...this.#special, ...variables, ...known }, now)
  }
}

type SentBody = Pick<ChatParams, 'messages'> & ChatParams['body']

interface OwnRequest {
  now: number
  template: Template
  messages: TemplateMessage[]
  tools: readonly unknown[] | null
  variables: Record<string, unknown>
  documents: unknown
  given: { add_generation_prompt?: boolean }
}

const LONG = 65_536
const CHANGED_BY_CUT = 64

interface PromptParts {
  encoding: OwnEncoding
  /** The token that ends an answer, if the template shows none. */
  end: string | undefined
  render: Continuation['render']
}

class OwnPrompt implements Prompt {
  readonly #text: string
  readonly #parts: PromptParts
  #ids: readonly number[] | undefined

  constructor(text: string, parts: PromptParts) {
    this.#text = text
    this.#parts = parts
  }

  characters(): number {
    return charactersIn(this.#text)
  }

  count(most: number): number {
    const { mostCharacters } = this.#parts.encoding
    // The server does not encode such a text.
    if (this.#text.length > most * mostCharacters && this.characters() > most * mostCharacters) {
      return most + 1
    }
    return this.#hasFarMore(most) ? most + 1 : this.#encoded().length
  }

  /**
   * Whether the text has certainly more tokens, part by part: some encodings take 20 s for a million characters. A cut
   * changes a few tokens at most.
   */
  #hasFarMore(most: number): boolean {
    const { encoding } = this.#parts
    let tokens = 0
    if (this.#text.length <= LONG) return false
    for (let at = 0; at < this.#text.length; at += LONG) {
      tokens += encoding.ids(this.#text.slice(at, at + LONG)).length - CHANGED_BY_CUT
      if (tokens > most) return true
    }
    return false
  }

  ids(): number[] {
    return [...this.#encoded()]
  }

  sample(answer: AnswerTexts): AnswerTokens {
    const { encoding, end, render } = this.#parts
    const texts = sampledAnswer(answer, { render, encoding, end })
    return placeTokens(texts, {
      tokenize: (text) => encoding.tokens(this.#idsAfter(text), text),
      alone: (text) => encoding.split(text),
    })
  }

  readonly areStable: Prompt['areStable'] = (tokens, before) => {
    const all = [...before, ...tokens]
    const { text = '', whole } = all.at(-1) ?? {}
    // Of the last token, the next prompt has only what the client saw.
    const seen = whole === undefined || text === '' ? all : [...all.slice(0, -1), { id: 0, text }]
    const ids = this.#idsAfter(sampledText(seen))
    return ids.length === all.length && ids.every((id, index) => id === all[index]!.id)
  }

  #encoded(): readonly number[] {
    this.#ids ??= this.#parts.encoding.ids(this.#text)
    return this.#ids
  }

  /** The ids of a text that follows the prompt, as they are in the prompt of the next turn. */
  #idsAfter(text: string): readonly number[] {
    const { encoding } = this.#parts
    const tail = encoding.tail(this.#text)
    const before = encoding.ids(tail)
    const both = encoding.ids(tail + text)
    const continues = before.every((id, index) => both[index] === id)
    return continues ? both.slice(before.length) : encoding.ids(text)
  }
}

/** Tokens such as `eos_token`, which the configuration has as text or as `{ content }`. */
function specialTokens(config: TokenizerFiles['config']): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [key, value] of Object.entries(config)) {
    if (!key.endsWith('_token')) continue
    const { content } = Object(value) as { content?: unknown }
    const token = typeof value === 'string' ? value : content
    if (typeof token === 'string') found[key] = token
  }
  return found
}
