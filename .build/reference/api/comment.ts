import type { Checker, JSDocTagInfo, Symbol } from 'typescript/unstable/sync'
import type { Comment } from './model.js'

/** Reads the TSDoc comment of a symbol. */
export function commentOf(symbol: Symbol, checker: Checker): Comment {
  const tags = symbol.getJsDocTags(checker)
  const texts = (...names: readonly string[]): string[] => {
    return tags.filter(({ name }) => names.includes(name)).map(({ text = '' }) => text.trim())
  }
  const summary = [symbol.getDocumentationComment(checker), ...texts('remarks')]
  return {
    summary: summary
      .map((text) => text.trim())
      .filter(Boolean)
      .join('\n\n'),
    params: new Map(texts('param', 'typeParam').map(paramOf)),
    returns: texts('returns').join(' '),
    throws: texts('throws').map(throwsOf),
    examples: texts('example'),
    deprecated: texts('deprecated')[0],
  }
}

/** Whether a comment says that something is not public, although other modules use it. */
export function isInternal(tags: readonly JSDocTagInfo[]): boolean {
  return tags.some(({ name }) => name === 'internal')
}

/** `scenario - Applies to this reset only.` The hyphen is optional. */
function paramOf(text: string): [name: string, meaning: string] {
  const [, name = '', meaning = ''] = /^(\S+)\s*(?:-\s+)?([^]*)$/.exec(text) ?? []
  return [name, meaning]
}

/** `{OptionsError} When an option is unknown.` */
function throwsOf(text: string): { type: string; when: string } {
  const [, type = '', when = ''] = /^\{(\w+)\}\s*([^]*)$/.exec(text) ?? [text, '', text]
  return { type, when }
}
