import { anyText } from '../values.js'
import { flag, option } from './declare.js'

export const json = flag({ describe: 'Print JSON' })

export const junit = option(anyText('a file'), { describe: 'Write a report in JUnit XML' })

export const withoutContents = flag({
  describe:
    'Leave prompts, messages, completions and trajectories out of the page and the HAR file',
})
