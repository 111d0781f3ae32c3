import { command } from '../command.js'
import { editorNames } from '../editor-names.js'
import { flag, listOption, option } from '../options/declare.js'
import { anyText, oneOf } from '../values.js'

/** Where scenarios usually are. */
export const USUAL_FILES = ['scenarios/*.yaml', '*.scenario.yaml']

export const scenariosSchema = command({
  name: 'scenarios schema',
  describe: 'Print the JSON Schema of scenario files, or the settings of an editor',
  examples: [
    ['scenarios schema > scenario.schema.json', 'save it for your editor'],
    ['scenarios schema --settings vscode --write', 'write .vscode/settings.json'],
  ],
  exits: '2 if the file of the settings exists already',
  options: {
    settings: option(oneOf(editorNames), {
      describe: 'Print the settings with which this editor completes scenario files',
    }),
    files: listOption(anyText('a glob'), {
      describe: 'Globs of the scenario files, for the settings',
      defaultDescription: USUAL_FILES.join(' and '),
    }),
    write: flag({ describe: 'Write the settings into a new file of this folder' }),
  },
})
