import { command } from '../command.js'
import { flag, option, requiredArgument } from '../options/declare.js'
import { json, junit } from '../options/output.js'
import { answerTimeout } from '../options/receiver.js'
import { accessToken, header, secret, signatureForm } from '../options/signature.js'
import { anyText, webUrl } from '../values.js'

export const checkReceiver = command({
  name: 'check-receiver',
  argument: requiredArgument('url', webUrl, {
    describe: 'The URL of your receiver',
    takes: 'a URL',
  }),
  describe: 'Test your receiver with correct and incorrect deliveries',
  examples: [
    ['check-receiver http://127.0.0.1:8080/hooks --secret s3cret', 'send good and bad deliveries'],
    [
      'check-receiver http://127.0.0.1:8080/hooks --secret whsec_c2VjcmV0 --standard --count-url http://127.0.0.1:8080/count',
      'check also that it acts once for each event',
    ],
  ],
  exits: '0 if every check passes, otherwise 1',
  options: {
    secret,
    token: accessToken,
    header,
    ...signatureForm,
    standard: flag({
      describe: 'Sign as Standard Webhooks does, with a timestamp; the secret is whsec_…',
    }),
    payload: option(anyText('a file'), {
      describe: 'File with the JSON object to send',
      defaultDescription: 'an alias named svtrain-test was added',
    }),
    timeout: answerTimeout,
    'count-url': option(webUrl, {
      describe: 'URL that answers with how often your receiver acted, when no work is left',
    }),
    emulator: option(webUrl, {
      describe: 'URL of the running emulator that your receiver reads; needs --count-url',
    }),
    model: option(anyText('the name of a model'), {
      describe: 'Model on which jobs run in the emulator; needs --emulator',
      defaultDescription: 'svtrain-test',
    }),
    junit,
    json,
  },
})
