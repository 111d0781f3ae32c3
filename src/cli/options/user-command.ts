import { receiverUrl } from '../receiver-port.js'
import { mapping } from '../run/exec-environment.js'
import { listOption } from './declare.js'
import { serveOptions } from './serve.js'

/** Options of a command that the emulator runs. */

export const receivers = listOption(receiverUrl, {
  group: serveOptions.webhook.group,
  describe: `${serveOptions.webhook.describe}. {port} is a free port, which SVTRAIN_WEBHOOK_PORT names`,
})

export const variables = listOption(mapping, {
  describe:
    'Set a variable of the command, such as OPENAI_API_KEY={key}. Placeholders: ' +
    '{training}, {inference}, {control}, {key}, {sink}, {port}',
})
