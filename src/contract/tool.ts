import { anything } from './pydantic/anything.js'
import { boolean } from './pydantic/boolean.js'
import { dictionary } from './pydantic/dictionary.js'
import { optional } from './pydantic/fields.js'
import { literal } from './pydantic/literal.js'
import { typedDict } from './pydantic/model.js'
import { nullable } from './pydantic/nullable.js'
import { string } from './pydantic/string.js'

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
