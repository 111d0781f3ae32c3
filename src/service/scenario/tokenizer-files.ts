import { isRecord } from '../contract/pydantic/record.js'

/** The content of a folder with a tokenizer, as model hubs publish it. */
export interface TokenizerFiles {
  /** The parsed `tokenizer.json`. */
  readonly tokenizer: Readonly<Record<string, unknown>>
  /** The parsed `tokenizer_config.json`. */
  readonly config: Readonly<Record<string, unknown>>
  readonly templates: ChatTemplates
}

/** The chat templates of a tokenizer, in Jinja. */
export interface ChatTemplates {
  readonly default: string
  /** The template for requests with tools, if it is another one. */
  readonly tool_use?: string | undefined
}

/** Finds the tokenizer of a base model, which may have a folder. Undefined if it uses the built-in encoding. */
export type TokenizerSource = (
  baseModel: string,
  folder: string | undefined,
) => TokenizerFiles | undefined

/** The files of a tokenizer, before they are checked. */
export interface GivenFiles {
  tokenizer: unknown
  config: unknown
  /** The content of `chat_template.jinja`. It takes precedence over the template in the configuration. */
  chatTemplate?: string | undefined
}

/** A mistake in the files of a tokenizer. `file` is the name of the wrong one. */
export class TokenizerFlaw {
  readonly file: string
  /** What is wrong, after the name of the file. */
  readonly problem: string

  constructor(file: string, problem: string) {
    this.file = file
    this.problem = problem
  }
}

export const TOKENIZER = 'tokenizer.json'
export const CONFIG = 'tokenizer_config.json'
export const TEMPLATE = 'chat_template.jinja'

/** What other tools accept as missing. */
const DEFAULTS = {
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
}

/** Checks the files of a tokenizer. Returns the mistake if they cannot be used. */
export function readTokenizerFiles({
  tokenizer,
  config,
  chatTemplate,
}: GivenFiles): TokenizerFiles | TokenizerFlaw {
  if (!isRecord(tokenizer))
    return new TokenizerFlaw(TOKENIZER, `is ${kindOfValue(tokenizer)}; ${MAP}`)
  if (!isRecord(config)) return new TokenizerFlaw(CONFIG, `is ${kindOfValue(config)}; ${MAP}`)
  const { model } = tokenizer
  if (!isRecord(model)) {
    const is =
      model === undefined ? 'has no `model`' : `has a \`model\` that is ${kindOfValue(model)}`
    return new TokenizerFlaw(TOKENIZER, `${is}; expected one such as {"type": "BPE", "vocab": …}`)
  }
  if (!isRecord(model['vocab']) && !Array.isArray(model['vocab'])) {
    return new TokenizerFlaw(TOKENIZER, 'has no `model.vocab`; expected the ids of all tokens')
  }
  const { added_tokens: added = [] } = tokenizer
  if (!Array.isArray(added)) {
    return new TokenizerFlaw(
      TOKENIZER,
      `has \`added_tokens\` that are ${kindOfValue(added)}; expected a list`,
    )
  }
  const templates = templatesIn(config, chatTemplate)
  if (templates instanceof TokenizerFlaw) return templates
  return { tokenizer: { ...DEFAULTS, ...tokenizer }, config, templates }
}

const MAP = 'expected a map of keys and values'

function templatesIn(
  { chat_template: own }: Readonly<Record<string, unknown>>,
  given: string | undefined,
): ChatTemplates | TokenizerFlaw {
  if (given !== undefined) return { default: given }
  if (typeof own === 'string') return { default: own }
  if (own === undefined || own === null) {
    const problem = `has no \`chat_template\`, and there is no ${TEMPLATE}; expected a chat template in one of them`
    return new TokenizerFlaw(CONFIG, problem)
  }
  const expected = 'expected a text, or a list such as [{"name": "default", "template": "…"}]'
  const flaw = new TokenizerFlaw(
    CONFIG,
    `has a \`chat_template\` that is ${kindOfValue(own)}; ${expected}`,
  )
  if (!Array.isArray(own)) return flaw
  const named = new Map(
    own.map((each: unknown) => {
      const { name, template } = Object(each) as { name?: unknown; template?: unknown }
      return [name, template]
    }),
  )
  const [main, withTools] = [named.get('default'), named.get('tool_use')]
  if (typeof main !== 'string') return flaw
  return { default: main, ...(typeof withTools === 'string' && { tool_use: withTools }) }
}

function kindOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}
