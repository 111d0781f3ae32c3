import { command } from '../command.js'
import { flag, listArgument } from '../options/declare.js'
import { junit } from '../options/output.js'
import { anyText } from '../values.js'

export const scenariosCheck = command({
  name: 'scenarios check',
  argument: listArgument('files', anyText('one or more files'), {
    describe: 'The scenario files: files, folders of YAML files, or globs',
  }),
  describe: 'Report the errors in scenario files',
  examples: [
    ['scenarios check mine.yaml other.yaml', 'name every mistake in both files'],
    ['scenarios check scenarios --watch', 'check all files in a folder after each change'],
  ],
  exits: '0 if all files are fine, otherwise 2; with --watch 0, after Ctrl-C',
  options: {
    watch: flag({ describe: 'Check again when a file changes, until Ctrl-C' }),
    junit,
  },
})
