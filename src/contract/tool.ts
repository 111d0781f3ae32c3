import { anything } from './validation/anything.js'
import { boolean } from './validation/boolean.js'
import { dictionary } from './validation/dictionary.js'
import { optional } from './validation/fields.js'
import { literal } from './validation/literal.js'
import { typedDict } from './validation/model.js'
import { nullable } from './validation/nullable.js'
import { string } from './validation/string.js'

const functionDefinition = typedDict('FunctionDefinition', {
  name: string,
  description: optional(string),
  parameters: optional(dictionary(anything)),
  strict: optional(nullable(boolean)),
})

export const tool = typedDict(
  'ChatCompletionFunctionToolParam',
  { function: functionDefinition, type: literal('function') },
  { description: 'A function that the model may call.' },
)
