import { command } from '../command.js'
import { flag, option } from '../options/declare.js'
import { DEFAULT_SINK_PORT, inNoGroup } from '../options/serve.js'
import { accessToken, header, secrets, signatureForm } from '../options/signature.js'
import { anyText, port, webUrl } from '../values.js'

export const sink = command({
  name: 'sink',
  describe: 'Receive webhooks, verify and record them',
  examples: [
    ['sink --secret s3cret', 'verify and print each delivery'],
    [
      'sink --to deliveries.ndjson --forward-to http://127.0.0.1:8080/hooks',
      'record deliveries and pass them on',
    ],
  ],
  options: {
    port: option(port, {
      describe: 'Port to receive on, at any path; 0 picks a free port',
      defaultDescription: `${DEFAULT_SINK_PORT}, or the next free port`,
    }),
    ...inNoGroup('host', 'allow-host'),
    secret: secrets,
    token: accessToken,
    header,
    ...signatureForm,
    strict: flag({ describe: 'Refuse deliveries with any error' }),
    to: {
      ...option(anyText('a file'), {
        describe: 'Append each delivery to this file, as a line of JSON, before answering',
      }),
      // The older name.
      alias: 'out',
    },
    fsync: flag({ describe: 'Write to the disk before answering: survives a power cut' }),
    'forward-to': option(webUrl, {
      describe: 'Forward each delivery to this URL, and answer with the response',
    }),
    ...inNoGroup('ready-file', 'log'),
  },
})
