import { join } from 'node:path'
import {
  API,
  NodeBuilderFlags,
  SignatureKind,
  SymbolFlags,
  type Checker,
  type Project,
  type Signature,
  type Symbol,
  type Type,
  type TypeReference,
} from 'typescript/unstable/sync'
import {
  isFunctionTypeNode,
  isObjectLiteralExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import { pathOf, root } from '../../stamp.js'
import { commentOf, isInternal } from './comment.js'
import type { Comment, Entry, Export, Member, Mention } from './model.js'

/** The configuration with which the build makes the types of the package. */
const CONFIG = join(root, '.build', 'types.json')

/** A type that is longer is not shown. */
const MOST_SHOWN = 1_700
/** A member that is one of several texts: a template, or an item of a list. */
const LISTED = /\$\{|\btypeof [A-Z_]+\)\[number\]/
/** Types that are computed from a schema or a list: their text in the sources says nothing to a reader. */
const COMPUTED = /\btypeof (?!globalThis)|\['|\b(?:\w+Of|Infer)</
/** What the compiler writes of a type that comes from a schema. */
const OF_A_SCHEMA = /\bShape<|\} & \{\}/

/** The type of a value is written as it is in the sources where that is possible, and else by the compiler. */
const FLAGS =
  NodeBuilderFlags.NoTruncation |
  NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope |
  NodeBuilderFlags.UseSingleQuotesForStringLiteralType |
  NodeBuilderFlags.IgnoreErrors

/** A declaration with the parts that this file reads. */
interface Declaration extends Node {
  readonly name?: Node
  readonly type?: Node
  readonly body?: Node
  readonly initializer?: Node
  readonly questionToken?: Node
  readonly dotDotDotToken?: Node
  readonly typeParameters?: readonly Node[]
  readonly parameters?: readonly Declaration[]
}

/**
 * Reads the public API of the entry points from the sources, with the compiler of the build. So the
 * reference is never older than the sources, and needs no build.
 *
 * @param entries The source of each entry point, by its name: `svtrain-emulator/msw` → `src/msw.ts`.
 */
export function readApi(entries: Readonly<Record<string, string>>): Entry[] {
  const api = new API({ cwd: root })
  try {
    const project = api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG)!
    const reader = new Reader(project)
    const read = Object.entries(entries).map(([name, file]) => reader.entry(name, join(root, file)))
    return reader.withUnexported(read)
  } finally {
    api.close()
  }
}

type Described = Pick<Export, 'kind' | 'text' | 'parameters' | 'members' | 'mentions'>
type Called = Omit<Described, 'kind' | 'members'>

class Reader {
  readonly #checker: Checker
  readonly #project: Project
  /** The types that were mentioned, by id. */
  readonly #mentioned = new Map<number, Symbol>()

  constructor(project: Project) {
    this.#project = project
    this.#checker = project.checker
  }

  entry(name: string, file: string): Omit<Entry, 'unexported'> {
    const source = this.#project.program.getSourceFile(file)
    const module = source && this.#checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${pathOf(file)} is no entry point of ${pathOf(CONFIG)}`)
    const exported = this.#checker.getExportsOfModule(module).flatMap((symbol) => {
      const target = this.#targetOf(symbol)
      if (isInternal(target.getJsDocTags(this.#checker))) return []
      return [{ symbol, target, place: symbol.declarations[0]?.resolve()?.getStart() ?? 0 }]
    })
    const titles = [...source.text.matchAll(/^\/\/ (.*)\n(?=export )/gm)]
    const exports = exported
      .sort((one, other) => one.place - other.place)
      .map(({ symbol, target, place }) => {
        const [, group = ''] = titles.findLast(({ index }) => index <= place) ?? []
        return this.#export(symbol, target, group)
      })
    return { name, summary: headOf(source), exports }
  }

  /** Describes the types that entries mention but do not export. Each is described once. */
  withUnexported(entries: readonly Omit<Entry, 'unexported'>[]): Entry[] {
    const described = new Set(entries.flatMap(({ exports }) => exports).map(({ id }) => id))
    return entries.map((entry) => {
      const unexported = [...new Set(entry.exports.flatMap(mentionedBy))].flatMap((id) => {
        const symbol = this.#mentioned.get(id)
        if (described.has(id) || !symbol) return []
        described.add(id)
        return this.#export(symbol, symbol, '')
      })
      return { ...entry, unexported }
    })
  }

  #targetOf(symbol: Symbol): Symbol {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  #export(symbol: Symbol, target: Symbol, group: string): Export {
    const { name } = symbol
    const comment = this.#commentOf(symbol, target)
    return { name, id: target.id, comment, group, ...this.#described(name, target, comment) }
  }

  #described(name: string, target: Symbol, comment: Comment): Described {
    const isClass = target.flags & SymbolFlags.Class
    if (isClass || target.flags & SymbolFlags.Interface) {
      const kind = isClass ? 'class' : 'interface'
      const text = `${kind} ${name}${genericsOf(declarationsOf(target).at(0)!)}`
      const members = this.#members(this.#checker.getDeclaredTypeOfSymbol(target))
      return { kind, text, parameters: [], members, mentions: [] }
    }
    if (target.flags & SymbolFlags.TypeAlias) return this.#alias(name, target)
    return this.#value(name, target, comment)
  }

  /** A re-export may have a comment of its own, such as one for the export of a library. */
  #commentOf(symbol: Symbol, target: Symbol): Comment {
    const comment = commentOf(target, this.#checker)
    if (symbol === target) return comment
    const own = commentOf(symbol, this.#checker)
    const { summary } = isOurs(declarationsOf(target).at(0)) ? comment : own
    return { ...comment, summary, deprecated: own.deprecated }
  }

  /** A function or a constant. */
  #value(name: string, target: Symbol, comment: Comment): Described {
    const type = this.#checker.getTypeOfSymbol(target)!
    const declaration = declarationsOf(target).at(0)!
    const written = declaration.type
    if (target.flags & SymbolFlags.Function || (written && isFunctionTypeNode(written))) {
      const described = this.#functions(`function ${name}`, type, comment)
      return { kind: 'function', ...described, members: [] }
    }
    const shown = written?.getText() ?? (type.isLiteralType() ? this.#print(type) : '')
    const text = shown === '' ? `const ${name}` : `const ${name}: ${shown}`
    const mentions = this.#mentions(text, declaration)
    return { kind: 'constant', text, parameters: [], members: [], mentions }
  }

  #alias(name: string, target: Symbol): Described {
    const declaration = declarationsOf(target).find(({ type }) => type)!
    const type = this.#checker.getDeclaredTypeOfSymbol(target)
    const head = `type ${name}${genericsOf(declaration)}`
    const about = { kind: 'type', parameters: [] } as const
    const members = type.isObjectType() || type.isIntersectionType() ? this.#members(type) : []
    // Members without a comment come from a schema.
    if (members.some(({ comment }) => comment.summary !== '')) {
      return { ...about, text: head, members, mentions: [] }
    }
    const text = this.#typeText(declaration.type!, type)
    const shown = text.length > MOST_SHOWN ? head : `${head} = ${text}`
    const mentions = this.#mentions(shown, declaration)
    return { ...about, text: shown, members: [], mentions }
  }

  /** A type as it is written, or as it is computed if it comes from a schema. */
  #typeText(written: Node, type: Type): string {
    const text = written.getText()
    return COMPUTED.test(text) ? this.#expand(type) : text
  }

  /** Writes a type of the sources without the names of the types that compute it. */
  #expand(type: Type): string {
    const text = this.#print(type, true)
    if (!OF_A_SCHEMA.test(text)) return text
    const expanded = (types: readonly Type[]): string =>
      types.map((each) => this.#expand(each)).join(' | ')
    if (type.isUnionType()) return expanded(type.getTypes())
    if (this.#checker.isArrayType(type)) {
      return `(${expanded(this.#checker.getTypeArguments(type as TypeReference))})[]`
    }
    const fields = this.#checker.getPropertiesOfType(type).map((property) => {
      return fieldText(property, this.#expand(this.#checker.getTypeOfSymbol(property)!))
    })
    return fields.length === 0 ? text : `{ ${fields.join('; ')} }`
  }

  /** The public members. */
  #members(type: Type, prefix = ''): Member[] {
    return this.#checker.getPropertiesOfType(type).flatMap((property) => {
      const declaration = declarationsOf(property).at(0)
      if (property.name.startsWith('__#') || !isOurs(declaration) || isHidden(declaration!))
        return []
      if (isInternal(property.getJsDocTags(this.#checker))) return []
      return this.#member(property, declaration!, prefix)
    })
  }

  #member(property: Symbol, declaration: Declaration, prefix: string): Member[] {
    const own = nameOf(property)
    const about = { name: prefix + own, comment: commentOf(property, this.#checker) }
    const type = this.#checker.getTypeOfSymbol(property)!
    const { initializer, type: written } = declaration
    if (initializer && isObjectLiteralExpression(initializer)) {
      return this.#members(type, `${about.name}.`)
    }
    const isMethod = (property.flags & SymbolFlags.Method) !== 0
    const isFunction = written ? isFunctionTypeNode(written) : this.#callsOf(type).length > 0
    if (isMethod || isFunction) {
      const name = isOptional(property) ? `${own}?` : own
      return [{ ...about, kind: 'method', ...this.#functions(name, type, about.comment) }]
    }
    // The compiler can name the texts.
    const isComputed = written !== undefined && LISTED.test(written.getText())
    const text = fieldText(property, written && !isComputed ? written.getText() : this.#print(type))
    const mentions = this.#mentions(text, declaration)
    return [{ ...about, kind: 'property', text, parameters: [], mentions }]
  }

  #functions(name: string, type: Type, { params }: Comment): Called {
    const names = [...params.keys()]
    const found = this.#callsOf(type).map((signature) => {
      const declaration = signature.declaration!.resolve()! as Declaration
      const { parameters: written = [], type: result } = declaration
      const parameters = written.map((each, index) => this.#parameter(each, names[index]))
      const returned = this.#checker.getReturnTypeOfSignature(signature)!
      const texts = parameters.map((parameter) => parameter.text).join(', ')
      const text = `${name}${genericsOf(declaration)}(${texts}): ${result?.getText() ?? this.#print(returned)}`
      return {
        text,
        parameters: parameters.map((parameter) => parameter.name),
        mentions: this.#mentions(text, declaration),
      }
    })
    return {
      text: found.map(({ text }) => text).join('\n'),
      parameters: found.flatMap(({ parameters }) => parameters),
      mentions: found.flatMap(({ mentions }) => mentions),
    }
  }

  /** The ways to call a function. None: it is no function. */
  #callsOf(type: Type): readonly Signature[] {
    const present = this.#checker.getNonNullableType(type)!
    return this.#checker.getSignaturesOfType(present, SignatureKind.Call)
  }

  /** A parameter that is taken apart gets the name that its comment gives it. */
  #parameter(declaration: Declaration, named = 'options'): { name: string; text: string } {
    const written = declaration.name!.getText()
    const name = /^\w+$/.test(written) ? written : named
    const inferred = this.#checker.getTypeAtLocation(declaration)!
    const type = declaration.type
      ? this.#typeText(declaration.type, inferred)
      : this.#print(inferred)
    const dots = declaration.dotDotDotToken ? '...' : ''
    const mark = declaration.questionToken || declaration.initializer ? '?' : ''
    return { name, text: `${dots}${name}${mark}: ${type}` }
  }

  /** The types that the text of a declaration names. */
  #mentions(text: string, declaration: Node): Mention[] {
    const names = new Set(text.match(/\b[A-Z]\w*\b(?!\[')/g))
    return [...names].flatMap((name) => {
      const symbol = this.#checker.resolveName(name, SymbolFlags.Type, declaration, true)
      const target = symbol && this.#targetOf(symbol)
      if (!target || !this.#isDescribed(target)) return []
      this.#mentioned.set(target.id, target)
      return [[name, target.id] as const]
    })
  }

  /** Whether it is a type of the package, and not a type parameter. */
  #isDescribed(symbol: Symbol): boolean {
    const isType =
      symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface | SymbolFlags.TypeAlias)
    const declaration = declarationsOf(symbol).at(0)
    if (isType === 0 || !declaration || !isOurs(declaration)) return false
    return !isInternal(symbol.getJsDocTags(this.#checker))
  }

  #print(type: Type, isAlias = false): string {
    const flags = isAlias ? FLAGS | NodeBuilderFlags.InTypeAlias : FLAGS
    const text = this.#checker.typeToString(type, undefined, flags)
    return text.replaceAll(/\{ \[x: string\]: ([^;{}]*); \}/g, 'Record<string, $1>')
  }
}

function isOptional({ flags }: Symbol): boolean {
  return (flags & SymbolFlags.Optional) !== 0
}

/** A property with its type. */
function fieldText(property: Symbol, type: string): string {
  const name = nameOf(property)
  return isOptional(property)
    ? `${name}?: ${type.replace(/ \| undefined$/, '')}`
    : `${name}: ${type}`
}

function mentionedBy({ mentions, members }: Export): number[] {
  return [mentions, ...members.map((member) => member.mentions)].flat().map(([, id]) => id)
}

function declarationsOf(symbol: Symbol): Declaration[] {
  return symbol.declarations.flatMap((handle) => handle.resolve() ?? [])
}

/** Whether a declaration is in the sources of the package, and not in a library. */
function isOurs(declaration: Node | undefined): boolean {
  return (
    declaration !== undefined && pathOf(declaration.getSourceFile().fileName).startsWith('src/')
  )
}

/** Members that every error has, and members for subclasses only. */
function isHidden(declaration: Declaration): boolean {
  const text = declaration.getText()
  return /^(?:private|protected|static)\b|^override readonly name = /.test(text)
}

function nameOf({ name }: Symbol): string {
  return name.startsWith('__@') ? `[Symbol.${name.split('@')[1]}]` : name
}

function genericsOf({ typeParameters }: Declaration): string {
  if (!typeParameters || typeParameters.length === 0) return ''
  return `<${typeParameters.map((each) => each.getText()).join(', ')}>`
}

/** The TSDoc comment at the top of an entry point, which describes the entry. */
function headOf({ text }: SourceFile): string {
  const [, comment = ''] = /^\/\*\*([^]*?)@packageDocumentation/.exec(text) ?? []
  return comment.replaceAll(/^ *\* ?/gm, '').trim()
}
