import { assistantMessage, type AssistantMessage } from './assistant-message.js'
import { choice, type Choice } from './choice.js'
import { filePart, imagePart, inputAudioPart, textPart } from './content-part.js'
import { optional } from './pydantic/fields.js'
import { list } from './pydantic/list.js'
import { literal } from './pydantic/literal.js'
import { typedDict } from './pydantic/model.js'
import { nullable } from './pydantic/nullable.js'
import { isRecord } from './pydantic/record.js'
import type { Infer, Schema } from './pydantic/schema.js'
import { string } from './pydantic/string.js'
import { union } from './pydantic/union.js'

const textContent = union([string, list(textPart)])

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
    content: union([string, list(union([textPart, imagePart, inputAudioPart, filePart]))]),
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

export type DeveloperMessage = Infer<typeof developerMessage>
export type SystemMessage = Infer<typeof systemMessage>
export type UserMessage = Infer<typeof userMessage>
export type ToolMessage = Infer<typeof toolMessage>
export type FunctionMessage = Infer<typeof functionMessage>

export type Message =
  DeveloperMessage | SystemMessage | UserMessage | AssistantMessage | ToolMessage | FunctionMessage

/** A part of a trajectory: a message that was sent, or a choice of a model. */
export type MessageOrChoice = Message | Choice

const byRole = new Map<unknown, Schema<unknown>>([
  ['developer', developerMessage],
  ['system', systemMessage],
  ['user', userMessage],
  ['assistant', assistantMessage],
  ['tool', toolMessage],
  ['function', functionMessage],
])

export const messageOrChoice: Schema<MessageOrChoice> = union(
  [
    developerMessage,
    systemMessage,
    userMessage,
    assistantMessage,
    toolMessage,
    functionMessage,
    choice,
  ],
  {
    // Every message needs a role, and every choice needs a message. So an input with a role but no message can
    // only be a message, and the reverse. This only saves time: without it, the union finds the same schema.
    pick(input) {
      if (!isRecord(input)) return undefined
      if (input['message'] === undefined) return byRole.get(input['role'])
      return input['role'] === undefined ? choice : undefined
    },
  },
)
