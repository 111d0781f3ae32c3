import { anyText } from '../values.js'
import { flag, option } from './declare.js'

export const json = flag({ describe: 'Print JSON', isOutput: true })

export const junit = option(anyText('a file'), {
  describe: 'Write a report in JUnit XML',
  isOutput: true,
})

export const withoutContents = flag({
  describe:
    'Leave prompts, messages, completions and trajectories out of the page and the HAR file',
  isOutput: true,
})
