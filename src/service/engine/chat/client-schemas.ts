import type { ChatParams } from './chat-params.js'
import type { ClientSchema } from './structures.js'

/**
 * The schemas of a request. One that the answer must match may have no keyword with a value of the wrong type. In the
 * schemas of other tools such keywords are ignored, because clients have written `type: dict` for years.
 */
export function schemasIn({ format, tools, toolChoice }: ChatParams): ClientSchema[] {
  const ofTools = tools.map(({ name, parameters: schema, at }) => {
    const isDemanded = typeof toolChoice === 'object' && toolChoice.name === name
    return { schema, at, isStrict: toolChoice === 'required' || isDemanded }
  })
  const parts = typeof format === 'object' ? format.parts : []
  const ofFormat = parts.flatMap((part) => {
    return typeof part === 'object' ? { ...part, isStrict: true } : []
  })
  return [...ofTools, ...ofFormat]
}
