import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { decodeWhole } from '../contract/pydantic/text-encoding.js'
import {
  CONFIG,
  readTokenizerFiles,
  TEMPLATE,
  TOKENIZER,
  TokenizerFlaw,
  type TokenizerFiles,
} from './tokenizer-files.js'

/** A folder that was read, and when its files were changed last. */
interface ReadFolder {
  stamp: string
  files: TokenizerFiles
}

/** It can take a second to read a vocabulary, and tests create many emulators. */
const known = new Map<string, ReadFolder>()
const MOST_KNOWN = 8

/** The paths of the files in a folder of a tokenizer. Those that need not exist are the last ones. */
export function tokenizerPaths(folder: string): string[] {
  return [TOKENIZER, CONFIG, TEMPLATE].map((name) => join(resolve(folder), name))
}

/**
 * Reads a folder with the tokenizer of a model: `tokenizer.json`, `tokenizer_config.json`, and
 * `chat_template.jinja` if there is one. It is read again only after one of its files has changed.
 *
 * @param folder - Its path, absolute or relative to the working directory.
 * @returns The content, or what is wrong with it, as a sentence that names the file.
 */
export function readTokenizerFolder(folder: string): TokenizerFiles | string {
  const path = resolve(folder)
  const stamp = stampOf(path)
  const before = known.get(path)
  if (before?.stamp === stamp) return before.files
  const read = readFiles(path)
  if (read instanceof TokenizerFlaw) {
    return `${join(shownPath(path), read.file)} ${read.problem}`
  }
  known.delete(path)
  if (known.size === MOST_KNOWN) known.delete(known.keys().next().value!)
  known.set(path, { stamp, files: read })
  return read
}

/** The same, and whether the chat template can be used. That takes a library. */
export async function checkTokenizerFolder(folder: string): Promise<string | undefined> {
  const files = readTokenizerFolder(folder)
  if (typeof files === 'string') return files
  const { Template } = await import('../contract/jinja/template.js')
  for (const template of Object.values(files.templates)) {
    try {
      if (template !== undefined) new Template(template).read()
    } catch (error) {
      return `${shownPath(resolve(folder))} has a chat template that cannot be used: ${(error as Error).message}`
    }
  }
  return undefined
}

/** A path as messages show it: relative if it is in the working directory. */
function shownPath(path: string): string {
  const inside = relative('', path)
  return inside === '' || inside.startsWith('..') ? path : inside
}

function stampOf(path: string): string {
  return tokenizerPaths(path)
    .map((file) => {
      // What stands for the folder can be a file, below which nothing can be.
      if (!existsSync(file)) return ''
      const { mtimeMs, size } = statSync(file)
      return `${mtimeMs} ${size}`
    })
    .join()
}

function readFiles(folder: string): TokenizerFiles | TokenizerFlaw {
  const tokenizer = readJson(folder, TOKENIZER)
  if (tokenizer instanceof TokenizerFlaw) return tokenizer
  const config = readJson(folder, CONFIG)
  if (config instanceof TokenizerFlaw) return config
  const chatTemplate = readText(folder, TEMPLATE)
  if (chatTemplate instanceof TokenizerFlaw) return chatTemplate
  return readTokenizerFiles({ tokenizer, config, chatTemplate })
}

/** Undefined: there is no such file. */
function readText(folder: string, name: string): string | undefined | TokenizerFlaw {
  try {
    const bytes = readFileSync(join(folder, name))
    return decodeWhole(bytes, 'utf-8') ?? new TokenizerFlaw(name, 'is not text in UTF-8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR'
    return isAbsent ? undefined : new TokenizerFlaw(name, `cannot be read (${code})`)
  }
}

function readJson(folder: string, name: string): unknown {
  const text = readText(folder, name)
  if (text === undefined) return new TokenizerFlaw(name, 'does not exist')
  if (text instanceof TokenizerFlaw) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    return new TokenizerFlaw(name, `is not JSON: ${(error as Error).message}`)
  }
}
