import { command } from '../command.js'
import { listOption, option, requiredArgument } from '../options/declare.js'
import { json } from '../options/output.js'
import { answerTimeout } from '../options/receiver.js'
import { header, signatureForm } from '../options/signature.js'
import { anyText, webUrl, webhookSecret } from '../values.js'

const RECORDED = 'that of the recorded signature'

export const sinkReplay = command({
  name: 'sink replay',
  argument: requiredArgument('file', anyText('a file'), {
    describe: 'The file that sink --to wrote; - is stdin',
    canBeDash: true,
  }),
  describe: 'Send recorded deliveries again',
  examples: [
    [
      'sink replay deliveries.ndjson --to http://127.0.0.1:8080/hooks',
      'all deliveries, as they were received',
    ],
    [
      'sink replay deliveries.ndjson --to http://127.0.0.1:8080/hooks --filter event=RUN_STATE --resign s3cret',
      'some of them, with new signatures',
    ],
  ],
  exits: '1 if a delivery is not acknowledged with 2xx, 2 if a line cannot be read',
  options: {
    to: option(webUrl, { describe: 'URL of the receiver' }),
    filter: listOption(anyText('a filter such as event=RUN_STATE'), {
      describe: 'Send only these: event=, verdict=, record=3-7, delivery=, path=, after=, before=',
    }),
    resign: option(webhookSecret, {
      describe: 'Sign again with this secret, and with the time of now',
      defaultDescription: 'the recorded signatures',
    }),
    token: option(anyText('an access token'), {
      describe: 'Access token to send, because files have none',
    }),
    header,
    encoding: { ...signatureForm.encoding, defaultDescription: RECORDED },
    prefix: { ...signatureForm.prefix, defaultDescription: RECORDED },
    timeout: answerTimeout,
    json,
  },
})
