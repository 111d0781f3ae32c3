import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.js'

/**
 * A folder with a tokenizer of 507 tokens that was made for the tests: bytes, parts of words and a few special
 * tokens. Its template has tools and thinking, and refuses conversations that begin with an answer.
 */
export const TOKENIZER_FOLDER = join(import.meta.dirname, '..', 'fixtures', 'tokenizer')

/** The content of the folder. */
export function tokenizerContent(): { tokenizer: object; config: object; chatTemplate: string } {
  const read = (name: string): string => readFileSync(join(TOKENIZER_FOLDER, name), 'utf8')
  return {
    tokenizer: JSON.parse(read('tokenizer.json')) as object,
    config: JSON.parse(read('tokenizer_config.json')) as object,
    chatTemplate: read('chat_template.jinja'),
  }
}

/** Copies the folder for the current test. */
export function copyOfTokenizer(): string {
  const folder = join(temporaryFolder(), 'tokenizer')
  cpSync(TOKENIZER_FOLDER, folder, { recursive: true })
  return folder
}

/** The folder with a tokenizer that examples of the documentation name. */
const IN_EXAMPLES = './tokenizers/my-model'

/** Adds it to the folder of an example. */
export function addTokenizer(folder: string): void {
  cpSync(TOKENIZER_FOLDER, join(folder, IN_EXAMPLES), { recursive: true })
}

/** An example that names the folder of the tests in its place. */
export function withTokenizer(example: string): string {
  return example.replaceAll(IN_EXAMPLES, TOKENIZER_FOLDER)
}
