import { join } from 'node:path'
import { anyText, type Value } from '../values.js'
import { flag, option } from './declare.js'

export const json = flag({ describe: 'Print JSON', isOutput: true })

export const junit = option(anyText('a file'), {
  describe: 'Write a report in JUnit XML',
  isOutput: true,
})

/** A file for a page. Browsers show other files as text. */
export const pageFile: Value<string> = {
  takes: 'a file that ends with .html',
  read: (text) => (/\.html?$/i.test(text) ? text : undefined),
  hint: (text) => {
    const isFolder = /[./\\]$/.test(text)
    return isFolder
      ? ` Name a file in the folder: ${join(text, 'report.html')}`
      : ` Add .html: ${text}.html`
  },
}

export const withoutContents = flag({
  describe:
    'Leave prompts, messages, completions and trajectories out of the page and the HAR file',
  isOutput: true,
})
