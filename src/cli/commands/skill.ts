import { command } from '../command.js'
import { flag, option } from '../options/declare.js'
import { anyText } from '../values.js'

export const skill = command({
  name: 'skill',
  describe: 'Install the skill for coding assistants',
  examples: [
    ['skill', 'print where it is'],
    ['skill --to .agents/skills', 'copy it to the skills of a project'],
  ],
  exits: '1 if it cannot be written, 2 if the folder has another version and --force is missing',
  options: {
    to: option(anyText('a folder'), {
      describe: 'Copy the skill to this folder, such as .agents/skills',
    }),
    force: flag({ describe: 'Replace files of the skill that differ' }),
  },
})
