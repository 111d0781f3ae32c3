import { RECORDING_FILE } from '../../../base/text/evidence.js'
import { SDK_KEY } from '../../../base/text/vendor/sdk-variables.js'
import { command } from '../../command.js'
import { flag, option, optionalArgument } from '../../options/declare.js'
import { anyText, jobId, webUrl } from '../../values.js'

export const scenariosFrom = command({
  name: 'scenarios from',
  argument: optionalArgument(
    'recording',
    anyText(
      'a recording, a HAR file, a report, a snapshot, a data folder, a trace, or the events of a job',
    ),
    {
      describe: `The folder of a recording, its ${RECORDING_FILE}, a HAR file, a report, a snapshot, a data folder, a trace, or the events of a job as JSON`,
    },
  ),
  describe: 'Write the scenario that a recording, a report or a job shows',
  examples: [
    ['scenarios from incident --to incident.yaml', 'what `record --to incident` has seen'],
    ['scenarios from svtrain-report.html --to ci.yaml', 'what the report of a run in CI shows'],
    ['scenarios from events.json', 'the timeline of one job'],
    [
      'scenarios from --job 0cd7ed71-2b34-4ac1-877f-0ca9a737d0ce --url https://api.example.com/v1',
      'a job of the real service, that nobody recorded',
    ],
  ],
  exits:
    '1 if the recording does not show how a job ended, or if the job is not over, except with --partial; 2 if the file is something else, or has nothing to make a scenario from, or if the service does not show the job',
  options: {
    job: option(jobId, {
      describe: `Read this job from the service, with the API key in SVTRAIN_API_KEY or ${SDK_KEY}`,
    }),
    url: option(webUrl, { describe: 'Base URL of the training API of the service, for --job' }),
    name: option(anyText('a name'), {
      describe: 'Name of the scenario',
      defaultDescription: 'that of the file or the folder',
    }),
    to: option(anyText('a file'), {
      describe: 'Write to this file',
      defaultDescription: 'stdout',
    }),
    partial: flag({ describe: 'Write the scenario even if nothing shows how a job ended' }),
    'lost-took-effect': flag({
      describe: 'Let calls whose answer was lost take effect, where nothing shows it',
    }),
    world: option(anyText('the name of a world'), {
      describe: 'Which world of a HAR file, a report or a trace, if it has several',
    }),
    force: flag({ describe: 'Replace the file if it exists' }),
  },
})
