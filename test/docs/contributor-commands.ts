import { blocksOf, pageOf, proseOf } from '../support/pages.js'
import { commandsOf } from './session.js'

/** Programs that stand at the start of a command. Other code on these pages is a name or a path. */
const COMMAND = /^(?:[A-Z_]+=\S+ )*(?:bash|docker|git|node|npm|npx|python3?|sh) \S/

/** Returns the commands of the pages for those who change the emulator, in text and in blocks. */
export function contributorCommands(): string[] {
  const lines = ['AGENTS.md', 'docs/contributing.md', 'test/README.md']
    .map(pageOf)
    .flatMap((page) => {
      const inText = Array.from(proseOf(page).matchAll(/`([^`\n]+)`/g), ([, code]) => code!)
      const blocks = blocksOf(page).filter(({ language }) => language === 'sh')
      return [...inText, ...blocks.flatMap(({ code }) => commandsOf(code))]
    })
  const commands = lines.flatMap((line) => line.split(' && ')).filter((line) => COMMAND.test(line))
  return [...new Set(commands)]
}

/** The commands that run in a clone, with a small file or number in place of another. */
export const runsInClone: Readonly<Record<string, string>> = {
  'npx vitest run test/cli/parse.test.ts test/cli/completion.test.ts -u':
    'npx vitest run test/cli/parse.test.ts -u',
  'npm run soak -- --only fuzz --count 300000 --seed 7':
    'npm run soak -- --only fuzz --count 50 --seed 7',
}

/** The commands of the emulator that end on their own. They run in the process of the test, in a folder with a scenario. */
export const runsInProcess: Readonly<Record<string, string>> = {
  'npx svtrain-emulator docs': 'docs',
  'npx svtrain-emulator docs testing': 'docs testing',
  'npx svtrain-emulator scenarios list': 'scenarios list',
  'npx svtrain-emulator scenarios check <file>': 'scenarios check mine.yaml',
  'npx svtrain-emulator play failing-job': 'play failing-job',
}
