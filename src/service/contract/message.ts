import { assistantMessage } from './assistant-message.js'
import { choice } from './choice.js'
import { messageArray } from './message-array.js'
import { filePart, imagePart, inputAudioPart, textPart } from './content-part.js'
import { optional } from './pydantic/fields.js'
import { literal } from './pydantic/literal.js'
import { typedDict } from './pydantic/model.js'
import { nullable } from './pydantic/containers.js'
import { isRecord } from './pydantic/record.js'
import type { Schema } from './pydantic/schema.js'
import { string } from './pydantic/scalars.js'
import { union } from './pydantic/union.js'

const textContent = union([string, messageArray(textPart)])

const developerMessage = typedDict(
  'ChatCompletionDeveloperMessageParam',
  { content: textContent, role: literal('developer'), name: optional(string) },
  { description: 'Instructions from the developer, as newer models take them.' },
)

const systemMessage = typedDict(
  'ChatCompletionSystemMessageParam',
  { content: textContent, role: literal('system'), name: optional(string) },
  { description: 'Instructions from the developer.' },
)

const userMessage = typedDict(
  'ChatCompletionUserMessageParam',
  {
    content: union([string, messageArray(union([textPart, imagePart, inputAudioPart, filePart]))]),
    role: literal('user'),
    name: optional(string),
  },
  { description: 'What an end user said.' },
)

const toolMessage = typedDict('ChatCompletionToolMessageParam', {
  content: textContent,
  role: literal('tool'),
  tool_call_id: string,
})

const functionMessage = typedDict('ChatCompletionFunctionMessageParam', {
  content: nullable(string),
  name: string,
  role: literal('function'),
})

/** The messages by their roles, in the order of the document of the service. */
const byRole = new Map<unknown, Schema<unknown>>([
  ['developer', developerMessage],
  ['system', systemMessage],
  ['user', userMessage],
  ['assistant', assistantMessage],
  ['tool', toolMessage],
  ['function', functionMessage],
])

/** The roles of messages. */
export const messageRoles: readonly string[] = [...byRole.keys()].map(String)

const documented: Schema<unknown> = union([...byRole.values(), choice], {
  // Every message needs a role, and every choice needs a message. So an input with a role but no message can
  // only be a message, and the reverse. This only saves time: without it, the union finds the same schema.
  pick(input) {
    if (!isRecord(input)) return undefined
    if (input['message'] === undefined) return byRole.get(input['role'])
    return input['role'] === undefined ? choice : undefined
  },
})

/**
 * A message or a choice in a trajectory. Its type is unknown, because a scenario may accept any message: see
 * docs/explain/contract.md#message-arrays.
 */
export const messageOrChoice: Schema<unknown> = {
  ...documented,
  read: (input, reader) =>
    reader.messageArrays === 'any' ? input : documented.read(input, reader),
}
