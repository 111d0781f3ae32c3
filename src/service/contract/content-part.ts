import { optional } from './pydantic/fields.js'
import { literal } from './pydantic/literal.js'
import { typedDict } from './pydantic/model.js'
import { string } from './pydantic/scalars.js'

export const textPart = typedDict(
  'ChatCompletionContentPartTextParam',
  { text: string, type: literal('text') },
  { description: 'A piece of text.' },
)

export const refusalPart = typedDict('ChatCompletionContentPartRefusalParam', {
  refusal: string,
  type: literal('refusal'),
})

const imageUrl = typedDict('ImageURL', {
  url: string,
  detail: optional(literal('auto', 'low', 'high')),
})

export const imagePart = typedDict(
  'ChatCompletionContentPartImageParam',
  { image_url: imageUrl, type: literal('image_url') },
  { description: 'An image, by its address.' },
)

const inputAudio = typedDict('InputAudio', { data: string, format: literal('wav', 'mp3') })

export const inputAudioPart = typedDict(
  'ChatCompletionContentPartInputAudioParam',
  { input_audio: inputAudio, type: literal('input_audio') },
  { description: 'A piece of recorded sound.' },
)

const fileContent = typedDict('FileFile', {
  file_data: optional(string),
  file_id: optional(string),
  filename: optional(string),
})

export const filePart = typedDict(
  'File',
  { file: fileContent, type: literal('file') },
  { description: 'A file, by its id or its content.' },
)
