import { command } from '../../command.js'
import { option } from '../../options/declare.js'
import { pageFile, withoutContents } from '../../options/output.js'
import { runningOptions } from '../../options/running.js'
import { REPORT_FILE } from '../../report-file.js'
import { anyText } from '../../values.js'

export const report = command({
  name: 'report',
  describe: 'Write what happened in a running emulator to a file',
  examples: [
    ['report --to report.html', 'a page to share, without keys and secrets'],
    ['report --har requests.har', 'the requests, for browsers and HTTP tools'],
  ],
  exits: '1 if no emulator answers, or if a file cannot be written',
  options: {
    ...runningOptions,
    to: option(pageFile, {
      describe: 'Write the page to this file',
      defaultDescription: `${REPORT_FILE}, unless --har is set`,
    }),
    har: option(anyText('a file'), { describe: 'Write the requests to this file as HAR' }),
    'without-contents': withoutContents,
  },
})
