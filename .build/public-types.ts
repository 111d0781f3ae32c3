import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** An import of a module for what it does. */
const BARE_IMPORT = /^import '[^']+';\n/gm

/** `import type { A, type B as C } from './x.js'`, and the same with `export`. */
const LIST = /(import|export) (type )?\{([^}]*)\}(?: from '([^']*)')?;\n/y
/** An item of a list, with its comment, which may have commas. */
const NAMED = /(?:\/\*\*[^]*?\*\/|[^,])+/g
const COMMENT = /\/\*\*[^]*?\*\/\n/y
/** The compiler begins each declaration at the start of a line, and indents what is inside. */
const END =
  /\n(?=(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)*(?:import|export|declare|interface|type|abstract|class)\b)|$/g
const DECLARED =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|function|enum) (\w+)/
const CLASS = /^export declare (?:abstract )?class \w+(?:<[^{]*>)?([^{]*) \{$/m
/** A constructor, with its comment. */
const CONSTRUCTOR = /^(?: {4}\/\*\*(?:(?!\*\/)[^])*\*\/\n)? {4}constructor\([^]*?\);\n/m
const INLINE = /\bimport\(['"](\.[^'"]*)['"]\)(?:\.(\w+))?/g

interface Statement {
  comment: string
  readonly text: string
  /** The name that it declares. Undefined for a list, and for what extends another module. */
  readonly name: string | undefined
  /** The words of its code: the names that it may use. */
  readonly words: ReadonlySet<string>
  kept: boolean
}

interface Name {
  /** The name in the other file, or outside. */
  readonly from: string
  readonly name: string
  /** As the list has it, with its comment. */
  readonly text: string
  kept: boolean
}

interface List {
  readonly verb: string
  readonly type: string
  readonly from: string | undefined
  readonly names: readonly Name[]
}

type Part = { readonly list: List } | { readonly statement: Statement }

interface File {
  readonly path: string
  readonly parts: readonly Part[]
}

/**
 * Leaves in a folder of declaration files only what its entry points show. The entry points are the files of the
 * folder itself. The compiler has removed what is `@internal`; this removes
 *
 * - the constructors of all classes except errors: functions such as `createEmulator` create the objects,
 * - the declarations, imports and files that nothing public needs then.
 */
export function leavePublicTypes(folder: string): void {
  const files = new Map<string, File>()
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
  const open = (path: string): File => {
    const file = files.get(path) ?? {
      path,
      parts: partsOf(readFileSync(path, 'utf8').replaceAll(BARE_IMPORT, '')),
    }
    files.set(path, file)
    return file
  }
  for (const path of all) if (dirname(path) === folder) keepAll(open(path), open)
  for (const path of all) {
    const file = files.get(path)
    const text = file === undefined ? '' : textOf(file)
    if (file === undefined) rmSync(path)
    else writeFileSync(path, text)
  }
}

type Open = (path: string) => File

function keepAll(file: File, open: Open): void {
  for (const part of file.parts) {
    if ('statement' in part) keep(file, part.statement, open)
    else if (part.list.verb === 'export')
      for (const each of part.list.names) keepName(file, part.list, each, open)
  }
}

function keepName(file: File, { from }: List, name: Name, open: Open): void {
  if (name.kept) return
  name.kept = true
  if (from === undefined) keepOwn(file, name.from, open)
  else if (from.startsWith('.')) keepExport(open(pathOf(file, from)), name.from, open)
}

function pathOf(file: File, specifier: string): string {
  return join(dirname(file.path), specifier.replace(/\.js$/, '.d.ts'))
}

/** Keeps what a file exports under that name. Each file that is read also keeps what extends other modules. */
function keepExport(file: File, name: string, open: Open): void {
  for (const part of file.parts) {
    if ('statement' in part) {
      if (part.statement.name === undefined) keep(file, part.statement, open)
    } else if (part.list.verb === 'export')
      for (const each of part.list.names) {
        if (each.name === name) keepName(file, part.list, each, open)
      }
  }
  keepOwn(file, name, open)
}

/** Keeps what the name stands for inside of a file. */
function keepOwn(file: File, name: string, open: Open): void {
  for (const part of file.parts) {
    if ('statement' in part) {
      if (part.statement.name === name) keep(file, part.statement, open)
    } else if (part.list.verb === 'import')
      for (const each of part.list.names) {
        if (each.name === name) keepName(file, part.list, each, open)
      }
  }
}

function keep(file: File, statement: Statement, open: Open): void {
  if (statement.kept) return
  statement.kept = true
  for (const match of statement.text.matchAll(INLINE)) {
    const [, specifier = '', name] = match as (string | undefined)[]
    const other = open(pathOf(file, specifier))
    if (name === undefined) keepAll(other, open)
    else keepExport(other, name, open)
  }
  for (const word of statement.words) keepOwn(file, word, open)
}

function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let comment = ''
  for (let at = 0; at < text.length;) {
    COMMENT.lastIndex = LIST.lastIndex = END.lastIndex = at
    const [commented] = COMMENT.exec(text) ?? []
    if (commented !== undefined) {
      comment += commented
      at += commented.length
      continue
    }
    const list = LIST.exec(text)
    const end = list ? LIST.lastIndex : END.exec(text)!.index + 1
    if (list) {
      if (comment !== '') parts.push(statementOf(comment, ''))
      parts.push({ list: listOf(list) })
    } else parts.push(statementOf(comment, text.slice(at, end)))
    comment = ''
    at = end
  }
  return parts
}

function statementOf(comment: string, text: string): Part {
  const shown = withoutConstructor(text)
  const code = shown.replaceAll(/\/\*\*[^]*?\*\//g, '')
  const [, name] = DECLARED.exec(text) ?? []
  // A type names a value only by `typeof`, or as a computed key.
  const words = new Set(
    Array.from(code.matchAll(/\b[A-Z_$]\w*|(?<=typeof |\[|\b)[a-z]\w*\b/g), String),
  )
  return { statement: { comment, text: shown, name, words, kept: false } }
}

function listOf([, verb = '', type = '', body = '', from]: RegExpExecArray): List {
  const names = Array.from(body.matchAll(NAMED), String).flatMap((each): Name[] => {
    const text = each.trim()
    if (text === '') return []
    const plain = text
      .replaceAll(/\/\*\*[^]*?\*\//g, '')
      .trim()
      .replace(/^type /, '')
    const [original = plain, name = original] = plain.split(' as ')
    return [{ from: original, name, text, kept: false }]
  })
  return { verb, type, from, names }
}

function withoutConstructor(text: string): string {
  const [head, bases = ''] = CLASS.exec(text) ?? []
  if (head === undefined || /\bextends \w*Error\b/.test(bases)) return text
  // It is protected and not private, because other declarations extend some of the classes.
  const hidden = '    protected constructor();\n'
  if (CONSTRUCTOR.test(text)) return text.replace(CONSTRUCTOR, hidden)
  return bases.includes(' extends ') ? text : text.replace(`${head}\n`, `${head}\n${hidden}`)
}

function textOf({ parts }: File): string {
  const lines = parts.map((part) => {
    if ('statement' in part) {
      const { kept, comment, text } = part.statement
      return kept ? comment + text : ''
    }
    const { verb, type, from, names } = part.list
    const kept = names.filter((name) => name.kept).map((name) => name.text)
    // The list without names makes a file a module.
    if (kept.length === 0 && (names.length > 0 || from !== undefined)) return ''
    const source = from === undefined ? '' : ` from '${from}'`
    return `${verb} ${type}{ ${kept.join(', ')} }${source};\n`.replace('{  }', '{}')
  })
  const text = lines.join('')
  return /^(?:import|export)\b/m.test(text) ? text : `${text}export {};\n`
}
