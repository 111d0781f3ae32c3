import { join } from 'node:path'
import { allBlocks, type Block } from '../support/pages.js'

/**
 * The examples of the documentation that tests run: test/docs/examples.test.ts those for test runners, in YAML and
 * in JSON, test/docs/programs.test.ts the other programs.
 */

/** `api.test.ts` compiles the examples of the TypeScript API, which come from comments. */
const isFromComments = ({ file }: Block): boolean => file.startsWith('docs/reference/api/')

export const blocks = allBlocks().filter((block) => !isFromComments(block))

/** Packages that examples import besides this one. */
export const PACKAGES = ['@ai-sdk/openai', '@types/express', 'ai', 'express', 'msw', 'openai']

/** Programs that do not run here, each with the test that runs it. */
export const elsewhere: readonly { where: string; is: (block: Block) => boolean }[] = [
  {
    where: 'test/browser/worker.test.ts: the program needs a page in a browser',
    is: ({ code }) => code.includes("'msw/browser'"),
  },
  {
    where: 'test/docs/commands.test.ts: a command of the same page runs the program',
    is: ({ name, file }) => {
      return name === 'loop.mjs' && /^docs.how-to.(?:explore|crashes)\.md$/.test(file)
    },
  },
  {
    where: 'test/docs/commands.test.ts: a command of the same page runs the program',
    is: ({ name }) => name === 'train.mjs',
  },
  {
    where: 'test/docs/receivers.test.ts: the program is a receiver, or a part of one',
    is: ({ code, file }) => {
      return file === join('docs', 'how-to', 'webhooks.md') && code.includes("receiver.js'")
    },
  },
  {
    where: 'test/docs/output.test.ts: the program is a receiver that runs until it is stopped',
    is: ({ file }) => file === join('docs', 'start', 'webhook-receiver.md'),
  },
  {
    where: 'test/docs/receivers.test.ts: the receivers import it',
    is: ({ name, file }) =>
      name === 'receiver.js' && file === join('docs', 'how-to', 'webhooks.md'),
  },
]

export const programs = blocks.filter(({ language }) => ['ts', 'js'].includes(language))
export const here = programs.filter((block) => !elsewhere.some(({ is }) => is(block)))

export function withPlaces(found: readonly Block[]): [place: string, block: Block][] {
  return found.map((block) => [block.place, block])
}

export function isTest({ code }: Block): boolean {
  return /svtrain-emulator\/(?:vitest|jest)'|'(?:node:test|vitest|@jest\/globals)'/.test(code)
}

/** A file that the tests of its page load: settings, or a file that sets up matchers. */
export function isSupport({ name = '', code }: Block): boolean {
  return /\.config\.|setup/.test(name) && !/\btest\(/.test(code)
}

export function isScenario({ code }: Block): boolean {
  return code.includes('export default defineScenario')
}
