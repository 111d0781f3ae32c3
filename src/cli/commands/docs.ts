import { topicNames, topicSpellings } from '../../emulator/adapters/docs-pages.js'
import { command } from '../command.js'
import { listArgument, option } from '../options/declare.js'
import { anyText } from '../values.js'

export const docs = command({
  name: 'docs',
  argument: {
    ...listArgument('topic', anyText('a topic'), {
      describe: 'The name of the page',
      defaultDescription: 'the list of topics',
      // The folder of the pages is read when a command runs.
      suggested: () => topicSpellings(topicNames()),
    }),
    // A search without quotes has several words.
    written: '[topic..]',
    isRequired: false,
  },
  describe: 'Print a page of the documentation',
  examples: [
    ['docs', 'list the topics'],
    ['docs testing', 'print a page as Markdown'],
    ['docs reference/scenario', 'print a page of the reference'],
    ['docs idempotent', 'print the part of a page with this word in its heading'],
    ['docs --search signature secret', 'find the sections with these words'],
  ],
  exits: '1 if a search finds nothing',
  options: {
    search: option(anyText('words'), {
      describe: 'Find the sections with most of these words, in all pages or in one',
    }),
  },
})
