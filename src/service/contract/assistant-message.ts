import { refusalPart, textPart } from './content-part.js'
import { messageArray, nullWhenDumped } from './message-array.js'
import { optional } from './pydantic/fields.js'
import { literal } from './pydantic/literal.js'
import { typedDict } from './pydantic/model.js'
import { nullable } from './pydantic/containers.js'
import { string } from './pydantic/scalars.js'
import { union } from './pydantic/union.js'

const audio = typedDict(
  'Audio',
  { id: string },
  { description: 'An earlier spoken answer, by its id.' },
)

// Three types have the same name as one in `choice.ts`. The OpenAPI document distinguishes them by a longer
// component name. Error locations and titles do not.
const functionCall = typedDict(
  'FunctionCall',
  { arguments: string, name: string },
  {
    description: 'A function to call and its arguments; tool calls have replaced it.',
    component: 'openai__types__chat__chat_completion_assistant_message_param__FunctionCall',
  },
)

const calledFunction = typedDict(
  'Function',
  { arguments: string, name: string },
  {
    description: 'The function that was called.',
    component: 'openai__types__chat__chat_completion_message_function_tool_call_param__Function',
  },
)

const calledCustomTool = typedDict(
  'Custom',
  { input: string, name: string },
  {
    description: 'The custom tool that was called.',
    component: 'openai__types__chat__chat_completion_message_custom_tool_call_param__Custom',
  },
)

const functionToolCall = typedDict(
  'ChatCompletionMessageFunctionToolCallParam',
  { id: string, function: calledFunction, type: literal('function') },
  { description: 'A call of a function, as the model made it.' },
)

const customToolCall = typedDict(
  'ChatCompletionMessageCustomToolCallParam',
  { id: string, custom: calledCustomTool, type: literal('custom') },
  { description: 'A call of a custom tool, as the model made it.' },
)

export const assistantMessage = typedDict(
  'ChatCompletionAssistantMessageParam',
  {
    role: literal('assistant'),
    audio: optional(nullable(audio)),
    content: optional(nullable(union([string, messageArray(union([textPart, refusalPart]))]))),
    function_call: optional(nullable(functionCall)),
    name: optional(nullWhenDumped(string)),
    refusal: optional(nullable(string)),
    tool_calls: optional(nullWhenDumped(messageArray(union([functionToolCall, customToolCall])))),
  },
  { description: 'What the model said earlier in the conversation.' },
)
