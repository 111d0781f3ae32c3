import { command } from '../command.js'
import { flag, option, requiredArgument } from '../options/declare.js'
import { anyText } from '../values.js'

export const scenariosFrom = command({
  name: 'scenarios from',
  argument: requiredArgument(
    'recording',
    anyText('a recording, a HAR file, a report, or the events of a job'),
    {
      describe:
        'The folder of a recording, its recording.ndjson, a HAR file, a report, or the events of a job as JSON',
    },
  ),
  describe: 'Write the scenario that a recording shows',
  examples: [
    ['scenarios from incident --to incident.yaml', 'what `record --to incident` has seen'],
    ['scenarios from svtrain-report.html --to ci.yaml', 'what the report of a run in CI shows'],
    ['scenarios from events.json', 'the timeline of one job'],
  ],
  exits:
    '1 if the recording does not show how a job ended, except with --partial; 2 if the file is something else, or has nothing to make a scenario from',
  options: {
    name: option(anyText('a name'), {
      describe: 'Name of the scenario',
      defaultDescription: 'that of the file or the folder',
    }),
    to: option(anyText('a file'), {
      describe: 'Write to this file',
      defaultDescription: 'stdout',
    }),
    partial: flag({ describe: 'Write the scenario even if nothing shows how a job ended' }),
    world: option(anyText('the name of a world'), {
      describe: 'Which world of a HAR file or a report, if it has several',
    }),
    force: flag({ describe: 'Replace the file if it exists' }),
  },
})
