import { join } from 'node:path'
import {
  API,
  NodeBuilderFlags,
  SignatureKind,
  SymbolFlags,
  type Checker,
  type Project,
  type Symbol,
  type Type,
  type TypeReference,
} from 'typescript/unstable/sync'
import {
  isArrowFunction,
  isFunctionTypeNode,
  isObjectLiteralExpression,
  isTypeReferenceNode,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import { pathOf, root } from '../../stamp.js'
import { commentOf, isInternal } from './comment.js'
import type { Comment, Entry, Export, Member, Mentions, Parameter } from './model.js'

/** The configuration with which the build makes the types of the package. */
const CONFIG = join(root, '.build', 'types.json')

/** A signature that is longer is broken into lines. */
const LINE = 100
/** A type that is longer is not shown. */
const MOST_SHOWN = 1_700
/** The type of a constant that is longer is not shown. */
const MOST_OF_A_VALUE = 200
/** A member that is one of several texts: a template, or an item of a list. */
const LISTED = /\$\{|\btypeof [A-Z_]+\)\[number\]/
/** Types that are computed from a schema or a list: their text says nothing to a reader. */
const COMPUTED = /\btypeof (?!globalThis)|\['|\b(?:\w+Of|Infer)</

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

/** The names that an entry exports, by the ids of their symbols. */
type Exported = ReadonlyMap<number, string>

type Described = Pick<
  Export,
  'kind' | 'signatures' | 'parameters' | 'result' | 'members' | 'mentions'
>

class Reader {
  readonly #checker: Checker
  readonly #project: Project
  /** The types that were mentioned, by id. */
  readonly #mentioned = new Map<string, Symbol>()

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
    const own = new Map(exported.map(({ symbol, target }) => [target.id, symbol.name]))
    const groups = sectionsOf(source).map(({ title, start, end }) => ({
      title,
      exports: exported
        .filter(({ place }) => place >= start && place < end)
        .sort((one, other) => one.place - other.place)
        .map(({ symbol, target }) => this.#export(symbol, target, own)),
    }))
    return { name, summary: headOf(source), groups }
  }

  /** Describes the types that entries mention but do not export. Each is described once. */
  withUnexported(entries: readonly Omit<Entry, 'unexported'>[]): Entry[] {
    const exportsOf = ({ groups }: Pick<Entry, 'groups'>): Export[] => {
      return groups.flatMap((group) => group.exports)
    }
    const described = new Set(entries.flatMap(exportsOf).map(({ id }) => id))
    return entries.map((entry) => {
      const own = new Map(exportsOf(entry).map(({ id, name }) => [Number(id), name]))
      const unexported = [...new Set(exportsOf(entry).flatMap(mentionedBy))].flatMap((id) => {
        const symbol = this.#mentioned.get(id)
        if (described.has(id) || !symbol) return []
        described.add(id)
        return this.#export(symbol, symbol, own)
      })
      return { ...entry, unexported }
    })
  }

  #targetOf(symbol: Symbol): Symbol {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }

  #export(symbol: Symbol, target: Symbol, own: Exported): Export {
    const { name } = symbol
    const comment = this.#commentOf(symbol, target)
    const about = { name, id: String(target.id), comment }
    if (target.flags & (SymbolFlags.Class | SymbolFlags.Interface)) {
      return { ...about, ...this.#objectType(target, name, own) }
    }
    if (target.flags & SymbolFlags.TypeAlias) return { ...about, ...this.#alias(target, name, own) }
    return { ...about, ...this.#value(target, name, comment) }
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
  #value(target: Symbol, name: string, comment: Comment): Described {
    const type = this.#checker.getTypeOfSymbol(target)!
    const written = declarationsOf(target).at(0)?.type
    const isFunction =
      target.flags & SymbolFlags.Function || (written && isFunctionTypeNode(written))
    if (isFunction)
      return { kind: 'function', ...this.#functions(name, type, comment), members: [] }
    const text = written?.getText() ?? this.#print(type)
    return {
      kind: 'constant',
      signatures: [text.length > MOST_OF_A_VALUE ? `const ${name}` : `const ${name}: ${text}`],
      parameters: [],
      members: [],
      mentions: this.#mentions(written),
    }
  }

  #objectType(target: Symbol, name: string, own: Exported): Described {
    const kind = target.flags & SymbolFlags.Class ? 'class' : 'interface'
    const declaration = declarationsOf(target).at(0)!
    const type = this.#checker.getDeclaredTypeOfSymbol(target)
    const bases = (type.getBaseTypes() ?? []).flatMap((base) => {
      const symbol = base.getSymbol()
      const exported = symbol && own.get(symbol.id)
      return exported === undefined ? [] : { name: exported, id: String(symbol!.id) }
    })
    const names = bases.map((base) => base.name).join(', ')
    const from = bases.length > 0 ? ` extends ${names}` : ''
    return {
      kind,
      signatures: [`${kind} ${name}${genericsOf(declaration)}${from}`],
      parameters: [],
      members: this.#members(type, target, own),
      mentions: new Map(bases.map((base) => [base.name, base.id])),
    }
  }

  #alias(target: Symbol, name: string, own: Exported): Described {
    const declaration = declarationsOf(target).find(({ type }) => type)!
    const type = this.#checker.getDeclaredTypeOfSymbol(target)
    const written = declaration.type!
    const head = `type ${name}${genericsOf(declaration)}`
    const about = { kind: 'type', parameters: [], mentions: this.#mentions(written) } as const
    const members =
      type.isObjectType() || type.isIntersectionType() ? this.#members(type, target, own) : []
    // Members without a comment come from a schema.
    if (members.some(({ comment }) => comment.summary !== '')) {
      return { ...about, signatures: [head], members, mentions: new Map() }
    }
    const text = this.#typeText(written, () => this.#expand(type))
    const shown =
      text.length > MOST_SHOWN ? head : `${head} =${text.startsWith('\n') ? '' : ' '}${text}`
    return { ...about, signatures: [shown], members: [] }
  }

  /** A type as it is written, or as it is computed if it comes from a schema. */
  #typeText(written: Node, computed: () => string): string {
    const text = written.getText()
    if (COMPUTED.test(text)) return wrapped(computed())
    return text.startsWith('|') ? `\n${indented(unindented(text))}` : wrapped(unindented(text))
  }

  /** Writes a type of the sources without the names of the types that compute it. */
  #expand(type: Type): string {
    if (type.isUnionType()) {
      const text = this.#print(type, true)
      return text.includes('Shape<')
        ? type
            .getTypes()
            .map((each) => this.#expand(each))
            .join(' | ')
        : text
    }
    if (this.#checker.isArrayType(type)) {
      const items = this.#checker.getTypeArguments(type as TypeReference)
      const text = items.map((item) => this.#expand(item)).join('')
      return text.includes(' | ') && !text.startsWith('{') ? `(${text})[]` : `${text}[]`
    }
    const isShape = type.isIntersectionType() || type.getAliasSymbol() !== undefined
    const properties = isShape || type.isObjectType() ? this.#checker.getPropertiesOfType(type) : []
    if (properties.length === 0 || !properties.every(isFromSchema)) return this.#print(type, true)
    const fields = properties.map((property) => {
      const mark = property.flags & SymbolFlags.Optional ? '?' : ''
      const text = this.#expand(this.#checker.getTypeOfSymbol(property)!)
      return `${property.name}${mark}: ${mark === '' ? text : text.replace(/ \| undefined$/, '')}`
    })
    const line = `{ ${fields.join('; ')} }`
    return line.length <= LINE ? line : `{\n${indented(fields.join('\n'))}\n}`
  }

  /** The public members that are not those of another export. */
  #members(type: Type, of: Symbol, own: Exported, prefix = ''): Member[] {
    const inherited = this.#inherited(type, own)
    return this.#checker.getPropertiesOfType(type).flatMap((property) => {
      if (property.name.startsWith('__#') || inherited.has(property.id)) return []
      if (isInternal(property.getJsDocTags(this.#checker))) return []
      const declaration = declarationsOf(property).at(0)
      if (!declaration || !isOurs(declaration) || isHidden(declaration)) return []
      return this.#member(property, declaration, { of, own, prefix })
    })
  }

  /** The ids of the members that exported base types have. */
  #inherited(type: Type, own: Exported): Set<number> {
    const bases = type.isClassOrInterface() ? (type.getBaseTypes() ?? []) : []
    return new Set(
      bases.flatMap((base) => {
        const isExported = own.has(base.getSymbol()?.id ?? 0)
        if (!isExported) return [...this.#inherited(base, own)]
        return this.#checker.getPropertiesOfType(base).map(({ id }) => id)
      }),
    )
  }

  #member(
    property: Symbol,
    declaration: Declaration,
    { of, own, prefix }: { of: Symbol; own: Exported; prefix: string },
  ): Member[] {
    const name = `${prefix}${nameOf(property)}`
    const comment = commentOf(property, this.#checker)
    const isOptional = (property.flags & SymbolFlags.Optional) !== 0
    const type = this.#checker.getTypeOfSymbol(property)!
    const id = `${pathOf(declaration.getSourceFile().fileName)}:${declaration.pos}`
    const about = { name, id, comment, isOptional }
    const { initializer, type: written } = declaration
    if (initializer && isObjectLiteralExpression(initializer)) {
      return this.#members(type, of, own, `${name}.`)
    }
    const isFunction =
      (property.flags & SymbolFlags.Method) !== 0 ||
      (initializer !== undefined && isArrowFunction(initializer)) ||
      (written !== undefined && isFunctionTypeNode(written))
    if (isFunction) {
      const shown = isOptional ? `${name}?` : name
      return [{ ...about, kind: 'method', ...this.#functions(shown, type, comment) }]
    }
    // The compiler can name the texts.
    const isComputed = written !== undefined && LISTED.test(written.getText())
    const text = written && !isComputed ? written.getText() : this.#print(type)
    const shown = isOptional ? text.replace(/ \| undefined$/, '') : text
    const mentions = written ? this.#mentions(written) : this.#mentionOf(type)
    return [
      { ...about, kind: 'property', signatures: [unindented(shown)], parameters: [], mentions },
    ]
  }

  #functions(
    name: string,
    type: Type,
    comment: Comment,
  ): Pick<Described, 'signatures' | 'parameters' | 'result' | 'mentions'> {
    const signatures = this.#checker.getSignaturesOfType(
      this.#checker.getNonNullableType(type)!,
      SignatureKind.Call,
    )
    const found = signatures.map((signature) => {
      const declaration: Declaration | undefined = signature.declaration?.resolve()
      const written = declaration?.parameters ?? []
      const parameters = written.map((each, index) => this.#parameter(each, index, comment))
      const returned = this.#checker.getReturnTypeOfSignature(signature)!
      const result = unindented(declaration?.type?.getText() ?? this.#print(returned))
      const generics = declaration ? genericsOf(declaration) : ''
      const mentions = this.#mentions(...written.map((each) => each.type), declaration?.type)
      return {
        parameters,
        result,
        mentions,
        text: signatureText(name + generics, parameters, result),
      }
    })
    const longest = found.toSorted((a, b) => b.parameters.length - a.parameters.length)[0]
    return {
      signatures: found.map(({ text }) => text),
      parameters: longest?.parameters ?? [],
      result: longest?.result ?? '',
      mentions: new Map(found.flatMap(({ mentions }) => [...mentions])),
    }
  }

  /** A parameter that is taken apart gets the name that its comment gives it. */
  #parameter(declaration: Declaration, index: number, { params }: Comment): Parameter {
    const written = declaration.name!.getText()
    const name = /^\w+$/.test(written) ? written : ([...params.keys()][index] ?? 'options')
    const inferred = this.#checker.getTypeAtLocation(declaration)!
    const type = declaration.type
      ? this.#typeText(declaration.type, () => this.#expand(inferred))
      : this.#print(inferred)
    return {
      name: declaration.dotDotDotToken ? `...${name}` : name,
      type,
      isOptional: (declaration.questionToken ?? declaration.initializer) !== undefined,
    }
  }

  /** The types that types name. */
  #mentions(...types: readonly (Node | undefined)[]): Mentions {
    const names: Node[] = []
    const visit = (node: Node): void => {
      if (isTypeReferenceNode(node)) names.push(node.typeName)
      node.forEachChild(visit)
    }
    for (const type of types) if (type && !COMPUTED.test(type.getText())) visit(type)
    if (names.length === 0) return new Map()
    const symbols = this.#checker.getSymbolAtLocation(names)
    return new Map(
      symbols.flatMap((symbol, index) => {
        const target = symbol && this.#targetOf(symbol)
        if (!target || !this.#isDescribed(target)) return []
        this.#mentioned.set(String(target.id), target)
        return names.slice(index, index + 1).map((name) => [name.getText(), String(target.id)])
      }),
    )
  }

  /** The name of a type that the compiler inferred. */
  #mentionOf(type: Type): Mentions {
    const symbol = type.getAliasSymbol() ?? type.getSymbol()
    if (!symbol || !this.#isDescribed(symbol)) return new Map()
    this.#mentioned.set(String(symbol.id), symbol)
    return new Map([[symbol.name, String(symbol.id)]])
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

/** Whether it is a field, and not a method that every text or list has. */
function isFromSchema(property: Symbol): boolean {
  return !property.name.startsWith('__') && (property.flags & SymbolFlags.Property) !== 0
}

function indented(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`
}

function mentionedBy({ mentions, members }: Export): string[] {
  return [mentions, ...members.map((member) => member.mentions)].flatMap((each) => [
    ...each.values(),
  ])
}

/** Breaks a long union into lines. */
function wrapped(type: string): string {
  if (type.includes('\n') || type.length <= LINE || !/^[^({[<]* \| /.test(type)) return type
  const lines: string[] = []
  for (const part of type.split(' | ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + part.length > LINE) lines.push(`  | ${part}`)
    else lines[lines.length - 1] = `${last} | ${part}`
  }
  return `\n${lines.join('\n')}`
}

function signatureText(name: string, parameters: readonly Parameter[], result: string): string {
  const each = parameters.map(({ name: of, type, isOptional }) => {
    return `${of}${isOptional ? '?' : ''}: ${isOptional ? type.replace(/ \| undefined$/, '') : type}`
  })
  const line = `${name}(${each.join(', ')}): ${result}`
  if (line.length <= LINE) return line
  return `${name}(\n${each.map((text) => `  ${text.replaceAll('\n', '\n  ')},\n`).join('')}): ${result}`
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

/** Removes the indentation that all lines after the first share, and comments. */
function unindented(text: string): string {
  const plain = text.replaceAll(/^ *\/\*\*(?:(?!\*\/)[^])*\*\/\n/gm, '')
  const indents = [...plain.matchAll(/\n( *)\S/g)].map(([, indent = '']) => indent.length)
  if (indents.length === 0) return plain
  return plain.replaceAll(`\n${' '.repeat(Math.min(...indents))}`, '\n')
}

/** The TSDoc comment at the top of an entry point, which describes the entry. */
function headOf({ text }: SourceFile): string {
  const [, comment = ''] = /^\/\*\*([^]*?)\*\//.exec(text) ?? []
  return comment
    .replaceAll(/^ *\* ?/gm, '')
    .replace(/@packageDocumentation/, '')
    .trim()
}

/** The parts of an entry point. A line comment above an export begins one. */
function sectionsOf({ text }: SourceFile): { title: string; start: number; end: number }[] {
  const titles = [...text.matchAll(/^\/\/ (.*)\n(?=export )/gm)]
  const starts = titles.map(({ 1: title = '', index }) => ({ title, start: index }))
  if (starts[0]?.start !== 0) starts.unshift({ title: '', start: 0 })
  return starts.map((each, index) => ({ ...each, end: starts[index + 1]?.start ?? text.length }))
}
